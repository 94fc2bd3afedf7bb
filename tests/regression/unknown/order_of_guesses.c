// expected: where objects lie in memory
// Pointers from outside are found to be those of variables, and then ordered.
extern void reach_error(void);
extern void *__VERIFIER_nondet_pointer(void);
int x, y;
int main(void) {
  int *p = __VERIFIER_nondet_pointer(), *q = __VERIFIER_nondet_pointer();
  if (p == &x && q == &y && p < q) reach_error();
  return 0;
}
