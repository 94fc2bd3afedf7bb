// property: memsafety
// A pointer runs over an array and stops one past its end.
unsigned __VERIFIER_nondet_uint(void);
int a[10];
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  int *p = a;
  for (unsigned i = 0; i < n && i < 10; i++) *p++ = 1;
  return 0;
}
