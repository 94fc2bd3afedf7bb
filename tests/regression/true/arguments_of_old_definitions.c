// What old definitions get is promoted; a zero that is written there is a null pointer.
extern void reach_error(void);
struct s { int a; };
static int f(p, c, s, d) char *p, c; short s; float d; { return (p ? *p : 7) + c + s + (int)d; }
static int get(a, n) int *a; unsigned char n; { return a[n]; }
static int g(s, a, h) struct s s; int a[]; int (*h)(); { return s.a + a[1] + h(a, 1); }
int main(void) {
  char x = 1;
  unsigned char u = 200;
  int t[2] = {3, 4};
  struct s s = {2};
  float half = 2.5f;
  if (f(&x, u, 3, half) != 1 - 56 + 3 + 2) reach_error();
  if (f(0, 300, 1, 1.0) != 7 + 44 + 2) reach_error();
  if (g(s, t, get) != 10) reach_error();
  return 0;
}
