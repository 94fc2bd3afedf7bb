// expected: where objects lie in memory
// A pointer is copied to a number that is elsewhere in its record than the pointer was: the order of two
// variables was proved.
extern void reach_error(void);
void *memcpy(void *, const void *, __SIZE_TYPE__);
struct owner { long a; void *p; long z; };
struct numbers { long k, l, m, n; };
static int v, w;
int main(void) {
  struct owner b = {0, &v}, c = {0, &w};
  struct numbers x = {0}, y = {0}, *p = &x, *q = &y;
  memcpy(&x.n, &b.p, sizeof x.n);
  memcpy(&y.n, &c.p, sizeof y.n);
  if (!(p->n < q->n)) reach_error();
  return 0;
}
