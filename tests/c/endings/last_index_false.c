/* endless for n == UINT_MAX: i <= n holds always */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0; while (i <= n) i++; return 0; }
