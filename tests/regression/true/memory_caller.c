// property: memsafety
// A pointer to a local of the caller does not dangle.
int __VERIFIER_nondet_int(void);
void set(int *p, int v) { *p = v; }
int main(void) {
  int x, y, *p = &x;
  if (__VERIFIER_nondet_int()) p = &y;
  set(p, 1);
  return *p;
}
