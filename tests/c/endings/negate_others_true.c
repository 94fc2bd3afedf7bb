/* ends: every other number changes its sign */
extern signed char __VERIFIER_nondet_char(void);
int main(void) { signed char x = __VERIFIER_nondet_char(); if (x == -128) return 0; while (x < 0) x = -x; return 0; }
