// expected: where objects lie in memory
// A number is written where a record has a pointer, by way of another record that begins inside of it; it may
// be the address of a variable, and that it is not was proved.
extern void reach_error(void);
struct owner { long a, b; int *p; };
struct numbers { long x, y; };
static int v = 1, w;
int main(void) {
  struct owner s = {0, 0, &w}, t = {0, 0, &v};
  struct numbers *n = (struct numbers *)(void *)&s.b;
  n->y = 0x404010;
  if (s.p == t.p) reach_error();
  return 0;
}
