/* One phase leads back without counting. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int s = __VERIFIER_nondet_int(), a = __VERIFIER_nondet_int();
  while (a > 0) {
    if (s == 5) s = 2;
    else if (s == 2) s = 7;
    else if (s == 7) s = __VERIFIER_nondet_int() ? 1 : 5;
    else if (__VERIFIER_nondet_int()) { a = a - 1; s = 5; }
    else if (s == 9) a = a - 1;
    else s = 9;
  }
  return 0;
}
