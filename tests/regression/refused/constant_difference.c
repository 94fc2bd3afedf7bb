// expected: __builtin_constant_p
int __VERIFIER_nondet_int(void);
void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (__builtin_constant_p(x - x)) reach_error();  // gcc: 1, clang: 0
  return 0;
}
