// What is true of all results that C allows for signbit and for classes of characters.
#include <ctype.h>
#include <math.h>
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  double x = __VERIFIER_nondet_double();
  unsigned char c = __VERIFIER_nondet_uchar();
  if (x < 0 && !signbit(x))
    reach_error();
  if (c >= '0' && c <= '9' && !isdigit(c))
    reach_error();
  return 0;
}
