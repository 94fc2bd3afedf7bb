// expected: unspecified order of evaluation
// For p == q the order of the two stores decides.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a[2] = {1, 1}, *p = a, *q = a + (__VERIFIER_nondet_int() & 1);
    *p = (*q)++;
    if (a[0] == 2)
        reach_error();
    return 0;
}
