/* ends: two counters meet, perhaps through the wrap-around */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(); while (a != b) a++; return 0; }
