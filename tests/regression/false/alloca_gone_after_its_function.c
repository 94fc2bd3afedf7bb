// property: memsafety
// data model: ILP32
// expected: valid-deref
// A block from alloca is gone after the call of its function.
extern int __VERIFIER_nondet_int(void);
int *kept;
int last(int *a, int n) {
  int *b = __builtin_alloca(4 * n), *c = __builtin_alloca(4 * n);
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
    c[i] = i;
  }
  kept = n == 7 ? c : a;
  return b[n - 1];
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 0x1fffffff)
    return 0;
  int *a = __builtin_alloca(4 * n);
  for (int i = 0; i < n; i++)
    a[i] = i;
  int r = last(a, n);
  if (n < 9)
    *kept = 1;
  return r;
}
