// property: memsafety
// data model: ILP32
// Blocks as large as the user says, in main and in a function that it calls once; one of the latter is gone after the call.
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
  if (n != 7)
    *kept = 1;
  return r;
}
