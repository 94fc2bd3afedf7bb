// Generic selections of functions, places and values.
static int absi(int x) { return x < 0 ? -x : x; }
static long absl(long x) { return x < 0 ? -x : x; }
static double absd(double x) { return x < 0 ? -x : x; }
#define ABS(x) _Generic((x), int: absi, long: absl, float: absd, default: absd)(x)
#define KIND(x) _Generic((x), int: 1, unsigned: 2, char *: 3, default: 4)
struct a { int v; }; struct b { int w; };
static int fa(struct a *p) { return p->v; } static int fb(struct b *p, int k) { return p->w + k; }
int n, calls; long m;
static int *count(void) { calls++; return &n; }
int main(void) {
  struct a x = {1}; struct b y = {2};
  observe(ABS(-3) == 3); observe(ABS(-3L) == 3L); observe(ABS(-2.5) == 2.5);
  observe(_Generic(&x, struct a *: fa, struct b *: fb)(&x) == 1);
  observe(_Generic(&y, struct a *: fa, struct b *: fb)(&y, 3) == 5);
  _Generic(n, int: n, long: m) = 5; observe(n == 5 && m == 0);
  observe(_Generic(*count(), int: n, long: m) == 5 && calls == 0);
  int (*p)(int) = _Generic(1, int: absi, long: absl); observe(p(-7) == 7);
  int *q = &_Generic(n, int: n, long: m); observe(q == &n);
  observe(KIND(n) == 1 && KIND(1u) == 2 && KIND("x") == 3 && KIND('c') == 1 && KIND(1.0) == 4);
  observe(sizeof(_Generic(n, int: (char)1, long: m)) == 1);
  observe(_Generic(n, int: _Generic(m, int: (char)1, long: 2.5), long: 7) == 2.5);
  return _Generic(n, int: (_Bool)n, default: m);
}
