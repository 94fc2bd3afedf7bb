/* <strings.h>. The values of strcasecmp are not specified but for their sign; it has no definition here. */
int ffs(int x)
{
    unsigned int bits = x;
    if (!bits)
        return 0;
    int n = 1;
    while (!(bits & 1u)) {
        bits >>= 1;
        n++;
    }
    return n;
}
int ffsl(long x)
{
    unsigned long bits = x;
    if (!bits)
        return 0;
    int n = 1;
    while (!(bits & 1u)) {
        bits >>= 1;
        n++;
    }
    return n;
}
int ffsll(long long x)
{
    unsigned long long bits = x;
    if (!bits)
        return 0;
    int n = 1;
    while (!(bits & 1u)) {
        bits >>= 1;
        n++;
    }
    return n;
}
