// expected: a compound literal in a loop of a recursive function
extern void reach_error(void);

static int f(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        int *p = &(int){i};
        s += *p + f(n - 1);
    }
    return s;
}

int main(void)
{
    if (f(2) == 1)
        reach_error();
    return 0;
}
