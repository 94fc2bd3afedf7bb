/* endless for n > 255: the counter is too narrow */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned n = __VERIFIER_nondet_uint(); unsigned char i = 0; while (i < n) i++; return 0; }
