// Nested, partial, designated and elided initialisers.
struct I { int a, b[3]; struct { char c; short d[2]; } e; }; struct I g1 = {1, {2, 3}, {'x', {4}}}, g2 = {1, 2, 3, 4, 5, 6, 7}, g3 = {.e.d[1] = 9, .b = {[1] = 5, 6}, .a = 3};
int arr[] = {[3] = 1, 2, [0] = 7, 8}; int m[][2] = {1, 2, {3}, 4, 5}; struct I ga[] = {{1}, 2, 3, 4, 5, 6, 7, 8, [3] = {.a = 9}}; char str[2][4] = {"ab", {'c', 'd'}}; char *ptrs[] = {"one", "two" "three"};
union { char c[4]; int i; } u = {{1, 2}}; union { int i; float f; } v = {.f = 1.0f}; int *pa = &arr[1]; struct { int *p; int (*f)(int); } t = {arr + 3}; int scalar = {42}; struct I zero;
int sq(int x) { return x * x; }
int main(void) {
  int i, loc[4] = {1, i = 2, [3] = 7}; struct I l = {sq(2), .b[2] = 8}, c = g1; char w[] = "wide", z[6] = "ab"; struct I *pl = &(struct I){5, {6}}; int lm[2][2] = {{1}, {2, 3}};
  observe(g1.b[1]); observe(g1.b[2]); observe(g1.e.c); observe(g1.e.d[0]); observe(g2.b[2]); observe(g2.e.c); observe(g2.e.d[1]); observe(g3.e.d[1]); observe(g3.b[1]); observe(g3.b[2]); observe(g3.a); observe(sizeof arr);
  for (i = 0; i < 5; i++) observe(arr[i]); observe(sizeof m); for (i = 0; i < 3; i++) { observe(m[i][0]); observe(m[i][1]); } observe(sizeof ga / sizeof ga[0]); observe(ga[1].a); observe(ga[1].e.d[1]); observe(ga[2].a); observe(ga[3].a);
  observe(str[0][1]); observe(str[0][2]); observe(str[1][1]); observe(ptrs[1][3]); observe(ptrs[0][3]); observe(u.i); observe(v.i); observe(*pa); observe(*t.p); observe(t.f == 0); observe(scalar); observe(zero.e.d[1]); observe(loc[1]); observe(loc[2]); observe(loc[3]);
  observe(l.a); observe(l.b[0]); observe(l.b[2]); observe(l.e.c); observe(c.b[1]); observe(sizeof w); observe(w[3]); observe(z[5]); observe(z[1]); observe(pl->b[0]); observe(pl->e.c); observe(lm[0][1]); observe(lm[1][1]);
  return 0;
}
