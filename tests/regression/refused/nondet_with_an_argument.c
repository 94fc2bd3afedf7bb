// expected: __VERIFIER_nondet_int is not supported
int __VERIFIER_nondet_int();
int main(void) { return __VERIFIER_nondet_int(3); }
