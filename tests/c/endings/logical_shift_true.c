/* ends: shifting an unsigned number to the right arrives at 0 */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned x = __VERIFIER_nondet_uint(); while (x != 0) x >>= 1; return 0; }
