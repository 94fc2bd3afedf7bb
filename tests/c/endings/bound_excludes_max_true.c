/* ends: n is not the largest number */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0; if (n == 0xffffffffu) return 0; while (i <= n) i++; return 0; }
