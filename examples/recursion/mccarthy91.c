// For all arguments up to 101 the result is 91.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

int f(int n) {
  if (n > 100) return n - 10;
  return f(f(n + 11));
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 101 || n < 80) return 0;
  if (f(n) != 91) reach_error();
  return 0;
}
