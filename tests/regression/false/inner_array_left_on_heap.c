// A pointer leaves the array inside a record for which it was made, and changes what is behind it.
#include <stdlib.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct T { char b[4]; int n; };
int main(void) {
  struct T *t = malloc(sizeof *t);
  if (!t) return 0;
  t->n = 0;
  unsigned i = __VERIFIER_nondet_uint();
  if (i > 7) return 0;
  char *p = t->b;
  p[i] = 1;
  if (t->n != 0) reach_error();
  return 0;
}
