// The sign of a negative float is not 1 for gcc; C promises that it is not zero.
extern void reach_error(void);
extern float __VERIFIER_nondet_float(void);
int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x < 0 && __builtin_signbit(x) != 1)
    reach_error();
  return 0;
}
