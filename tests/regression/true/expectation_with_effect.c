// All arguments of __builtin_expect are evaluated.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int calls;
static int call(void) {
  calls++;
  return 1;
}
int main(void) {
  int x = __VERIFIER_nondet_int(), c = 0;
  if (__builtin_expect(x > 0, (c++, 1)))
    c += 2;
  if (c != (x > 0 ? 3 : 1))
    reach_error();
  if (__builtin_expect(x & 3, call()) != (x & 3) || calls != 1)
    reach_error();
  return 0;
}
