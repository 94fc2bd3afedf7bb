// A pointer from outside is found to be that of a variable, and memory is changed through it.
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
int x = 1;
int main(void) {
  int *p = __VERIFIER_nondet_pointer(); if (p == &x) { *p = 5; if (x == 5) reach_error(); }
  return 0;
}
