// expected: __VERIFIER_assert is not supported
void __VERIFIER_assert();
int main(void) { __VERIFIER_assert(1, 2); return 0; }
