// Pointer arithmetic, difference and comparison.
struct S { int a; char c; double d; }; struct S s[4]; int x[10]; short y[6];
int main(void) {
  struct S *p = s, *q = s + 3; int *a = &x[2], *b = x + 9; short *k = y; int n = -2; unsigned char u = 3; void *v = &x[1]; int **pp = &a;
  observe(q - p); observe(p - q); observe(b - a); observe(a < b); observe(a == &x[2]); observe(*pp == a); b += n; observe(b - x); b -= 3; observe(b - x); b = b + u; observe(b - x); observe((char *)q - (char *)p);
  observe(&k[5] - k); observe((char *)&k[5] - (char *)k); (*pp)++; observe(a - x); **pp = 33; observe(x[3]); observe((char *)v - (char *)x); observe((int *)v - x); observe(&p->d - (double *)p); observe(p + 1 > p); observe(!p); observe(q && 1);
  observe(&x[10] - &x[0]); observe((long)(q) - (long)(p)); p = 0; observe(p == 0); observe(a != 0);
  return 0;
}
