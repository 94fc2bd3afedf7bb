//// words that look like pragmas and attributes
_Pragma("GCC diagnostic push") [[gnu::unused]] static int pragma = 3; static int x [[gnu::unused]] __attribute__((unused)) = 4;
int main(void) { int __attribute__((unused)) attribute = pragma + x; observe(attribute); observe(__builtin_constant_p(pragma)); observe(__builtin_constant_p(attribute) + 1); enum { A, B = 5, C } e = C; observe(e); double d = (1.5 + 2) * 2; observe_double(d); float f = 1.0f / 3; observe_double(f); return 0; }
//// promotion of whole words and of longs
struct S { unsigned w : 32; int v : 32; unsigned n : 31; } s = {0xffffffffu, -1, 0x7fffffff};
int main(void) { observe(s.w + 1 > 0); observe(s.v < 0u); observe(s.n - 1 < 0); observe(s.w > s.v); long l = -1; unsigned u = 1; observe(l < u); observe((l + u) * 2); observe(l * u < 0); observe((long long)(l + u)); observe(u - l); int z = 0; observe(z * 0); observe(0 * z + 5); observe(7 - 7 * z); observe(z ? -z : z - 1); observe(3 * 4 - 2); s.v += s.w == 0xffffffffu; observe(s.v); return 0; }
//// pointers to functions and texts in memory that is given back
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
struct H { int (*f)(int); const char *name; void *own; uintptr_t hidden; }; static int twice(int v) { return 2 * v; } static struct H *make(void) { struct H *h = malloc(sizeof *h); h->f = twice; h->name = "a name"; h->own = malloc(4); h->hidden = (uintptr_t)h->own; return h; } static void give(struct H *h) { free((void *)h->hidden); free(h); }
int main(void) { struct H *h = make(); observe(h->f(4)); observe(h->name[2]); *(int *)h->own = 6; observe(*(int *)h->hidden); give(h); struct H *k = make(), copy = *k; k = 0; observe(copy.f(1)); free(copy.own); return 0; }
//// bytes of unions and arrays that pointers reach
#include <string.h>
union U { int i[2]; char c[8]; struct { short a; char b[2]; } s; long long l; } u, v[2], *p = v; static void put(union U *w, int n) { w->c[n] = n; w->i[1] ^= n; } static int get(char *b, int n) { return b[n]; } struct R { char a; union U u[2]; int z; } r;
int main(void) { for (int i = 0; i < 4; i++) { put(&v[i & 1], i); put(&r.u[i >> 1], i); } observe(v[1].i[0]); observe(r.u[1].i[1]); observe(get(v[0].c, 2)); observe(get((char *)&r, 4 + 3)); char *b = (char *)v; b[9] = 7; observe(v[1].s.a); memcpy(&u, b + 8, 8); observe(u.l == v[1].l); p += 1; p->s.b[1] = 9; observe(get(p->c, 3)); union U t = *p--; *p = t; observe(v[0].l == v[1].l); int *q = &p->i[1]; *q = 5; observe(v[0].c[4]); char *e = p->s.b; e[0] = 3; observe(v[0].i[0] >> 16); return 0; }
