// Euclid's algorithm on signed characters: the running example of Lange, Neuhaeusser, Noll, Katoen,
// "IC3 software model checking", Fig. 1. The divisor found never exceeds b, if b was positive.
extern signed char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void) {
  signed char a = __VERIFIER_nondet_char();
  signed char b = __VERIFIER_nondet_char();
  signed char y = b, t;
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
