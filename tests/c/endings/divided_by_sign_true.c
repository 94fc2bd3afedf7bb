/* Which of the two words comes to its end depends on a sign that the loop does not change. */
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int left = __VERIFIER_nondet_int(), right = __VERIFIER_nondet_int();
    int step = __VERIFIER_nondet_int() ? 3 : -3;
    if (left < -1000000 || right < -1000000)
        return 0;
    while (left <= 7 && right <= 9) {
        left += step;
        right -= step;
    }
    return 0;
}
