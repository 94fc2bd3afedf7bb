/* ends: an unsigned difference that would be negative is large, and the loop counts it down */
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) { unsigned a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(), d = a - b; while (d > 0) d--; return 0; }
