// Euclid's algorithm on int: solvers must be told that remainders are small. The running example of Lange, Neuhaeusser, Noll,
// Katoen, "IC3 software model checking", Fig. 1. The divisor found never exceeds b, if b was positive.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  int y = b, t;
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    t = b;
    b = a % b;
    a = t;
  }
  if (y > 0) {
    if (!(y >= a)) reach_error();
  }
  return 0;
}
