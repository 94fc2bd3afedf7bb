/* A bit comes in again at the bottom, now and then. */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    while (x)
        x = x << 1 | (x >> 31 & 1);
    return 0;
}
