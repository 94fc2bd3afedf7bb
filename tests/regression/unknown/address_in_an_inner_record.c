// expected: where objects lie in memory
// A record that is seen as another one begins inside of a third: which place in one is which place in
// the other was taken to be told by where objects begin, and the order of two variables was proved.
extern void reach_error(void);
struct inner { void *first; long rest; };
struct outer { long before; struct inner inside; };
struct numbers { long x, y; };
static int v, w;
int main(void) {
  struct outer a = {0, {&v, 0}}, b = {0, {&w, 0}};
  struct numbers *p = (struct numbers *)&a.inside, *q = (struct numbers *)&b.inside;
  if (!(p->x < q->x)) reach_error();
  return 0;
}
