// Unsigned arithmetic wraps; integer promotion keeps small types from wrapping.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned int x = __VERIFIER_nondet_uint();
  unsigned char c = 255;
  if (c + 1 == 256 && x + 1 < x) reach_error();
  return 0;
}
