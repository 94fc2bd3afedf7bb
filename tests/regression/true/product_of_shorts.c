// property: no-overflow
// A product of two promoted numbers of 16 bits always fits; one of two unsigned ones would not.
extern short __VERIFIER_nondet_short(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  short s = __VERIFIER_nondet_short();
  int r = s * s;
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (x < -20000 || x > 20000 || y < 0 || y > 60000) return 0;
  return r > x * y;
}
