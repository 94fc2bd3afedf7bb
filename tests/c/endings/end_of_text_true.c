/* A text of any length ends with a zero. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long size);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000)
        return 0;
    char *text = malloc(n), *p = text;
    text[n - 1] = 0;
    while (*p != 0)
        p++;
    return 0;
}
