// expected: no address left
// property: memsafety
// Addresses of a block that has died may be used again, so that the third block need not find memory used up.
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  size_t n = __VERIFIER_nondet_ulong();
  if (n < 1 || n > ~(size_t)0 / 4)
    return 0;
  char *a = malloc(n), *b = malloc(n), *nothing = 0;
  free(a);
  char *c = malloc(2 * n);
  if (n > ~(size_t)0 / 4 - 8)
    *nothing = b != c;
  return 0;
}
