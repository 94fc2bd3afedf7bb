/* That one word does not wrap around while the other one is counted down follows from their difference. */
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
    if (p < -1000000000 || p > 1000000000 || q < -1000000000 || q > 1000000000)
        return 0;
    while (p > 0 || q > 0) {
        p -= 2;
        q -= 2;
    }
    return 0;
}
