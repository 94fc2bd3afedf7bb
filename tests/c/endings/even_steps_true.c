/* ends: steps of two from a number that is even hit zero at the wrap-around */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned x = __VERIFIER_nondet_uint(); x = x * 2; while (x != 0) x += 2; return 0; }
