//// empty records, large arrays, bit-fields as values
struct E {}; struct X { int a; struct E e[2]; int b; }; struct R { short x, y; }; struct B { int a[40]; struct R r[40]; }; struct F { unsigned a : 5; int b : 7; unsigned w : 32; long long c : 40; };
static int side(int *n) { return ++*n; } static void fill(struct B *p) { struct B b = {{0}}; b.a[39] = 4; b.r[39].y = 5; *p = b; } static int sum(const int *p, int n) { int s = 0; while (n--) s += p[n]; return s; }
int main(void) { struct X x = {1, {}, 2}, y, *p = &x; y = *p; observe(y.b); struct X v[2]; v[1] = y; observe(v[1].b); struct B b; fill(&b); observe(b.a[39] + b.a[0] + b.r[39].y + b.r[1].x); int z[90] = {0}; z[80] = 3; observe(sum(z, 90)); int n = 3; struct F f = {1, 2, 3, 4}, *q = &f; observe(q->b += side(&n)); observe(q->a = side(&n) * 20); int k = (q->b -= 100); observe(k); observe(q->w + 1 > 0); observe(-q->w > 0); long long c = (0, q->c); observe(c); c = ({ n++; q->c; }); observe(c); observe((q->c = -7)); struct R rs[2] = {{1, 2}, {3, 4}}, *pr = rs; *pr; (side(&n), pr[1]); observe(n); (void)*pr; return 0; }
//// missing arguments, pointers to functions of other types, variable arguments in recursion
#include <stdarg.h>
int old(); struct P { int a, b; }; int one(int a) { return a + 1; } int two(int a, int b) { return a * b; } int rec(struct P p) { return p.a - p.b; }
int walk(int n, ...) { va_list l; va_start(l, n); int s = 0; for (int i = 0; i < n; i++) s = s * 3 + va_arg(l, int); va_end(l); return n > 1 ? s + walk(n - 1, s, n, 4) : s; }
int main(void) { observe(old(4)); for (int i = 0; i < 3; i++) { int (*f)() = i == 0 ? (int (*)())one : i == 1 ? (int (*)())two : (int (*)())rec; struct P p = {9, 4}; observe(i == 0 ? f(3) : i == 1 ? f(3, 4) : f(p)); } observe(walk(3, 1, 2, 3)); void *v = "abcd"; v = v + 2; observe(*(char *)v); observe((char *)v - (char *)(v - 1)); return 0; }
int old(a, b) int a, b; { return a * 2; }
//// constants and shifts
#include <math.h>
static double inf = 1.0 / 0.0, nan_ = 0.0 / 0.0, large = 1e999; int __fpclassify(double);
int main(void) { observe(inf > 1e308); observe(nan_ == nan_); observe(large == inf); double d = 1e999, m = -1e999; observe(d > m); observe(isnan(0.0 / 0.0) != 0); observe(__fpclassify(1.5) == FP_NORMAL); observe(__fpclassify(0) == FP_ZERO); int x = -5; long long n = 3; unsigned long long u = 2; observe(x >> n); observe(7 << n); observe(9u >> u); x <<= n & 1; observe(x * 0); observe(0 * x); observe(x * 1); observe(-(-5)); observe(- -x); char c = 5; observe(+c); observe(sizeof +c); observe(~c); if (+x) observe(1); if (~x) observe(2); if (!+c) observe(3); return 0; }
//// order of stores
int main(void) { int a[4] = {1, 2, 3, 4}, i = 0, x; a[0] = a[1]++; observe(a[0]); observe(a[1]); a[2] = (a[3] = 7); observe(a[2]); x = (i++ ?: 3); observe(x); observe(i); x = a[i] ? a[i]-- : 0; observe(x); struct { int p, q; } s = {1, 2}; s.p = s.q++; observe(s.p); observe(s.q); s.p = (s.q = 5); observe(s.p); int y = y ? 6 : 6; observe(y); void *self = &self; observe(self == (void *)&self); (__extension__ x) = 4; observe(x); return 0; }
//// loops with effects in their tests, cases in loops
static int n; static int side(void) { return n++; } static int duff(int k) { int s = 0; switch (k) { for (int i = 0; i < 3; i++) { case 1: s += 10; case 2: s++; if (k) { k = 0; i = 1; } } default: s += 100; } return s; }
int main(void) { int s = 0; while ((side(), 1)) { if (n > 3) break; s += n; } observe(s); do { s++; if (s > 12) break; } while ((side(), 1)); observe(s); observe(n); for (;(n--, 1);) if (n < 0) break; observe(n); for (int k = 0; k < 4; k++) observe(duff(k)); do s--; while ((n++, s > 5)); observe(s); observe(n); return 0; }
//// numbers, unions and pointers
#include <stdint.h>
#include <stdlib.h>
int g[4] = {5, 6, 7, 8}; union U { int *p; uintptr_t u; }; struct A { int n; int *p; }; struct C { int n; int *q; int more; }; static union U kept; static struct A held; struct N { struct N *next; int v; };
int main(void) { union U u; u.u = (uintptr_t)&g[1]; observe(*u.p); u.p = g; u.u += sizeof(int); observe(*u.p); struct C c = {1, g + 2, 3}; struct A *a = (struct A *)&c; observe(*a->p); a->n = 4; observe(c.n); int *q = (int *)((uintptr_t)g + 8); observe(*q); observe((intptr_t)&g[2] > (intptr_t)&g[1]); observe(((uintptr_t)q & 3) == 0); kept.p = malloc(4); *kept.p = 9; observe(*kept.p); free(kept.p); held.p = malloc(8); held.p[1] = 2; int *end = held.p + 2, s = 0; for (int *p = held.p + 1; p < end; p++) s += *p; observe(s); observe(end > held.p); observe(end - held.p); free(held.p); held.p = 0; struct N *l = 0; for (int i = 0; i < 3; i++) { struct N *m = malloc(sizeof *m); m->v = i; m->next = l; l = m; } observe(l != l->next); while (l) { struct N *m = l->next; observe(l->v); free(l); l = m; } return 0; }
//// sizes of spelled out types, and a long text
static char text[] = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";
int main(void) { int n = 3; observe(sizeof(int[n])); observe(sizeof(unsigned char[n])); observe(sizeof(double[n])); observe(sizeof(unsigned long long[n])); observe(sizeof(long double)); observe(sizeof(int *[n])); observe(sizeof(short[n][2])); observe(sizeof text); observe(text[248]); const char *p = text; observe(p[200]); return 0; }
//// comparisons with effects, and memory that was freed
#include <stdlib.h>
static int calls; static int up(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
int main(void) { observe(1); int *p = malloc(4); free(p); int *q = malloc(4); *q = 3; observe(*q); observe(q != 0); int a[2] = {2, 1}; qsort(a, 2, 4, up); observe(a[0]); free(q); return 0; }
//// compound literals in recursion
int f(int n) { int *p = (int[]){n, n * 2, n * 3}; int r = n > 0 ? f(n - 1) : 0; return r * 5 + p[2] - p[1]; } int main(void) { observe(f(3)); return 0; }
//// designators of aggregates whose braces are missing
typedef union { int lock; char c[8]; } mutex; struct in { int x, y; }; struct r { int c; mutex m; struct in i; int z; };
static struct r fixed = { .m = 5, .z = 2 };
int main(void) { struct r a = { .m = 5 }, b = { 1, .m = 5, 6, 7, 8 }, d = { 1, {2}, {3, 4}, 5, .i = 9 }, e = { .i = 1, 2, 3 }, n[2] = { [1].i = 4, 5, 6 }; int m[3][2] = { [1] = 5, 6, 7, [0] = 1 }, w[3][2] = { {1, 2}, {3, 4}, {5, 6}, [1] = 8 }; struct in v[3] = { [1] = 4, 5, 6, 7 }; struct { struct { mutex m; int k; } s; int t; } q = { .s.m = 3, 4, 5 }; observe(a.c + a.m.lock * 10 + a.i.x + a.z); observe(b.c + b.m.lock * 10 + b.i.x * 100 + b.i.y * 1000 + b.z * 10000); observe(d.i.x * 10 + d.i.y); observe(e.i.x + e.i.y * 10 + e.z * 100); observe(n[1].i.x + n[1].i.y * 10 + n[1].z * 100); for (int i = 0; i < 6; i++) { observe(m[i / 2][i % 2]); observe(w[i / 2][i % 2]); observe(i % 2 ? v[i / 2].y : v[i / 2].x); } observe(q.s.m.lock + q.s.k * 10 + q.t * 100); observe(fixed.c + fixed.m.lock * 10 + fixed.z); return 0; }
