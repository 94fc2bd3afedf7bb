// expected: two stores to one place
// Whether the increment or the assignment stores last is not specified: the behaviour is undefined.
extern void reach_error(void);

int main(void)
{
    int x = 1;
    x = x++;
    if (x == 1)
        reach_error();
    return 0;
}
