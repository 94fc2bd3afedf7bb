/* The same with a step that may be zero. */
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int left = __VERIFIER_nondet_int(), right = __VERIFIER_nondet_int();
    int step = __VERIFIER_nondet_int();
    if (left < -1000000 || right < -1000000 || step < -3 || step > 3)
        return 0;
    while (left <= 7 && right <= 9) {
        left += step;
        right -= step;
    }
    return 0;
}
