// Two functions that call each other: no number is both.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

int odd(unsigned n);

int even(unsigned n) {
  if (n == 0) return 1;
  return odd(n - 1);
}

int odd(unsigned n) {
  if (n == 0) return 0;
  return even(n - 1);
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (even(n) && odd(n)) reach_error();
  return 0;
}
