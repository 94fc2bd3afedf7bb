// property: memsafety
// An element of another array is reached through a pointer into the first one.
int __VERIFIER_nondet_int(void);
int a[4], b[4];
int main(void) {
  int *p = __VERIFIER_nondet_int() ? a : b;
  p[8] = 1;
  return 0;
}
