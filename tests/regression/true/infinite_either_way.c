// __builtin_isinf says 1 for both infinities; the library's isinf tells the sign.
#include <math.h>
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (__builtin_isinf(x) < 0)
    reach_error();
  if (x < 0 && isinf(x) > 0)
    reach_error();
  return 0;
}
