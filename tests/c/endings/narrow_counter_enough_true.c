/* ends: n fits the counter */
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) { unsigned n = __VERIFIER_nondet_uchar(); unsigned char i = 0; while (i < n) i++; return 0; }
