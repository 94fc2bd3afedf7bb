// Sums, counted down again and counted anew, of cells that nobody knows: facts about the history of the first loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[300];

int main(void)
{
    int i, n = __VERIFIER_nondet_int();
    unsigned sum = 0, again = 0;
    if (n < 1 || n > 300)
        return 0;
    for (i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < n; i++)
        sum += a[i];
    for (i = 0; i < n; i++)
        again += a[i];
    if (again != sum)
        reach_error();
    for (i = 0; i < n; i++)
        sum -= a[i];
    if (sum != 0)
        reach_error();
    return 0;
}
