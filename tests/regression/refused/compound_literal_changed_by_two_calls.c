// expected: unspecified order of evaluation
// Both calls change one compound literal, that of main: their order matters.
extern void reach_error(void);

static int twice(int *p)
{
    *p = *p * 2;
    return *p;
}

static int more(int *p)
{
    *p = *p + 1;
    return *p;
}

int main(void)
{
    int *p = &(int){3};
    if (twice(p) - more(p) == 6 - 7)
        reach_error();
    return 0;
}
