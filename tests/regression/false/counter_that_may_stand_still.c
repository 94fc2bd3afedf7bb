// property: termination
// With other inputs than 0 the sum may overflow.
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int sum = 0;
    while (sum >= 0)
        sum = sum + __VERIFIER_nondet_int();
}
