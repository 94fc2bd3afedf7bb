// The second argument of __builtin_expect is evaluated.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), c = 0;
  if (__builtin_expect(x > 0, (c++, 1)))
    x = 1;
  if (c)
    reach_error();
  return 0;
}
