// The library's isinf tells the sign of an infinity.
#include <math.h>
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
int main(void) {
  if (isinf(__VERIFIER_nondet_double()) < 0)
    reach_error();
  return 0;
}
