/* As unsigned words the smaller one wraps around, and is counted down once more: for ever, if it is odd. */
extern unsigned int __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned int p = __VERIFIER_nondet_uint(), q = __VERIFIER_nondet_uint();
    while (p != 0 || q != 0) {
        p -= 2;
        q -= 2;
    }
    return 0;
}
