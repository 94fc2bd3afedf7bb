// expected: what a library function leaves open
// The functions of <math.h> set errno: fmod(x, 0) is a domain error.
#include <errno.h>
#include <math.h>
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
int main(void) {
  double x = __VERIFIER_nondet_double();
  errno = 0;
  x = fmod(x, 0);
  if (errno)
    reach_error();
  return 0;
}
