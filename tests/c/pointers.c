// Pointers to locals, pointers to pointers, function pointers, structs through pointers, allocation.
void *malloc(__SIZE_TYPE__); void *calloc(__SIZE_TYPE__, __SIZE_TYPE__); void free(void *); struct N { int v; struct N *next; }; struct N pool[3];
void set(int *p, int v) { *p = v; } void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; } int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; } int (*op[2])(int, int) = {add, sub};
int apply(int (*f)(int, int), int a, int b) { return f(a, b) + (*f)(b, a); } struct N *push(struct N *l, int v) { struct N *n = malloc(sizeof *n); n->v = v; n->next = l; return n; }
int len(struct N *l) { int n = 0; for (; l; l = l->next) n++; return n; } static int counter(void) { static int c = 5; return c++; } int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); } void up(int n, int *p) { int l = n; if (n) { up(n - 1, &l); *p += l; } }
int main(void) {
  int x = 1, y = 2, *p = &x, *q = &y, **pp = &p, i; struct N a, b, *l = 0, *k; int *z = calloc(4, sizeof(int)); char *s = malloc(10);
  set(p, 5); observe(x); *pp = q; **pp = 9; observe(y); p = &x; swap(&p, &q); observe(*p); observe(*q); observe(apply(add, 1, 2)); observe(op[1](7, 3)); observe(apply(op[x & 1], 4, 4)); a.v = 1; b.v = 2; a.next = &b; b.next = 0; a.next->v = 7; observe(b.v); observe(len(&a));
  for (i = 0; i < 4; i++) l = push(l, i * i); observe(len(l)); for (k = l; k; k = k->next) observe(k->v); observe(z[0] + z[3]); z[2] = 8; observe(z[2]); for (i = 0; i < 9; i++) s[i] = 'a' + i; s[9] = 0; observe(s[5]); pool[1].next = &pool[2]; pool[1].next->v = 6; observe(pool[2].v);
  observe(counter()); observe(counter()); observe(counter()); observe(fact(6)); x = 0; up(4, &x); observe(x); { int *w = &x; for (i = 0; i < 3; i++) { int loc = i; w = &loc; *w += 10; observe(loc); } } free(z); observe(p == &y); observe(l->next->next->v);
  return 0;
}
