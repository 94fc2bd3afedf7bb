// GNU and C11 syntax: statement expressions, typeof, VLAs, compound literals, anonymous members, sizeof, alignment, comma, long double.
struct A { int k; union { int i; struct { short lo, hi; }; }; int tail[]; }; enum E { R, G = 5, B, N = -3 }; typedef int T4[4]; static inline int max(int a, int b) { return ({ int _a = a, _b = b; _a > _b ? _a : _b; }); }
int sum(int n) { int v[n], i, s = 0; for (i = 0; i < n; i++) v[i] = i; for (i = 0; i < n; i++) s += v[i]; return s + sizeof v / sizeof v[0]; }
int total(int *p, int n) { int s = 0; while (n-- > 0) s += p[n]; return s; }
int main(void) {
  struct A a = {1, {0x00020003}}; __typeof__(a.k) k = 4; T4 t = {1, 2}; enum E e = B; long double ld = 1.25L; unsigned long long big = 0xffffffffffffffffULL; int i = 010 + 0x1F + 0b11;
  observe(max(3, 4)); observe(a.lo); observe(a.hi); observe(k); observe(e); observe(N); observe(sum(5)); observe(total((int[]){1, 2, 3}, 3)); observe(total(t, 4)); observe(sizeof(T4)); observe(sizeof(struct A)); observe(_Alignof(double)); observe(__builtin_offsetof(struct A, hi)); observe(i); observe((int)(ld * 4)); observe(big >> 60); observe(sizeof(long)); observe(sizeof(void *)); observe(sizeof(long double)); observe(__builtin_expect(k == 4, 1)); observe(({ int z = k; z *= 2; z; })); observe(sizeof(char[3][4])); observe((1, 2, 3)); observe(_Generic(k, int: 1, default: 2)); observe(1 ?: 2); observe((double)(ld / 3) > 0.4); observe(__alignof__(int)); ld = 0.1L; observe_double((double)(ld * 3));
  return 0;
}
