// A pointer from outside is found to be that of a variable, and the variable is read through it.
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
int x = 1;
int main(void) {
  int *p = __VERIFIER_nondet_pointer(); if (p == &x) { if (*p != 1) reach_error(); }
  return 0;
}
