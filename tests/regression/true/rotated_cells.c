// The cells are exchanged and rotated in between: the history of the loop before, moved by one place.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int x[4000];

static int all_bits(void)
{
    int r = x[0];
    for (int i = 1; i < 4000; i++)
        r |= x[i];
    return r;
}

int main(void)
{
    for (int i = 0; i < 4000; i++)
        x[i] = __VERIFIER_nondet_int();
    int first = all_bits(), t = x[0];
    for (int i = 0; i < 3999; i++)
        x[i] = x[i + 1];
    x[3999] = t;
    if (all_bits() != first)
        reach_error();
    return 0;
}
