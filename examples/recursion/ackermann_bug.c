// The function of Ackermann grows in its second argument: not here.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 0);
  return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 2) return 0;
  if (ackermann(2, n) != 2 * n + 3) reach_error();
  return 0;
}
