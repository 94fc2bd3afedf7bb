// The factorial of a small number is never less than the number.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

unsigned factorial(unsigned n) {
  if (n < 2) return 1;
  return n * factorial(n - 1);
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 6) return 0;
  if (factorial(n) < n) reach_error();
  return 0;
}
