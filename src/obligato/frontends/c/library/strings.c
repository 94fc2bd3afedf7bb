/* <strings.h>. The values of strcasecmp are not specified but for their sign; it has no definition here. */
static int __obligato_first_bit(unsigned long long bits)
{
    if (!bits)
        return 0;
    int n = 1;
    while (!(bits & 1u)) {
        bits >>= 1;
        n++;
    }
    return n;
}
int ffs(int x)
{
    return __obligato_first_bit((unsigned int)x);
}
int ffsl(long x)
{
    return __obligato_first_bit((unsigned long)x);
}
int ffsll(long long x)
{
    return __obligato_first_bit((unsigned long long)x);
}
