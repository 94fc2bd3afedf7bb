/* <stdlib.h> [C11, 7.22]: numbers from texts, quotients, sorting and searching. Random numbers are inputs, which does not fit a
   second start of their sequence (1 is the start that every program begins with). What does not fit atoi is undefined behaviour
   and gives anything here (glibc: modulo the type, or the greatest number, by data model); atol and atoll are glibc's.
   How qsort orders equal elements, and which of several equal ones bsearch finds, is not specified: where the choice can be
   noticed it is left open by __obligato_choice, and no run is refuted by it. */
int atoi(const char *s)
{
    int __obligato_choice(void);
    unsigned int value = 0;
    int negative = 0, large = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+') {
        negative = *s == '-';
        s++;
    }
    while (*s >= '0' && *s <= '9') {
        unsigned int digit = (unsigned int)(*s - '0');
        large |= value > 214748364u - (digit == 9u);
        value = value * 10u + digit;
        s++;
    }
    if (large || (value == 2147483648u && !negative))
        return __obligato_choice();
    return (int)(negative ? 0u - value : value);
}
long atol(const char *s)
{
    return strtol(s, (char **)0, 10);
}
long long atoll(const char *s)
{
    return strtoll(s, (char **)0, 10);
}
static int __obligato_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}
static unsigned long long __obligato_number(const char *s, char **end, int base, int is_signed, unsigned long long most)
{
    const char *start = s;
    unsigned long long value = 0;
    int negative = 0, large = 0, digit;
    if (base < 0 || base == 1 || base > 36)
        return 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+') {
        negative = *s == '-';
        s++;
    }
    if (is_signed && negative)
        most++;
    if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && __obligato_digit(s[2]) < 16) {
        s += 2;
        base = 16;
    }
    if (base == 0)
        base = *s == '0' ? 8 : 10;
    if (__obligato_digit(*s) >= base)
        s = start;
    else
        for (digit = __obligato_digit(*s); digit < base; digit = __obligato_digit(*s)) {
            if (large || value > (most - (unsigned long long)digit) / (unsigned long long)base)
                large = 1;
            else
                value = value * (unsigned long long)base + (unsigned long long)digit;
            s++;
        }
    if (end)
        *end = (char *)s;
    if (large)
        return is_signed && negative ? 0ull - most : most;
    return negative ? 0ull - value : value;
}
long strtol(const char *s, char **end, int base)
{
    return (long)__obligato_number(s, end, base, 1, __LONG_MAX__);
}
long long strtoll(const char *s, char **end, int base)
{
    return (long long)__obligato_number(s, end, base, 1, __LONG_LONG_MAX__);
}
unsigned long strtoul(const char *s, char **end, int base)
{
    return (unsigned long)__obligato_number(s, end, base, 0, __LONG_MAX__ * 2ul + 1);
}
unsigned long long strtoull(const char *s, char **end, int base)
{
    return __obligato_number(s, end, base, 0, __LONG_LONG_MAX__ * 2ull + 1);
}
div_t div(int a, int b)
{
    div_t result;
    result.quot = a / b;
    result.rem = a % b;
    return result;
}
ldiv_t ldiv(long a, long b)
{
    ldiv_t result;
    result.quot = a / b;
    result.rem = a % b;
    return result;
}
lldiv_t lldiv(long long a, long long b)
{
    lldiv_t result;
    result.quot = a / b;
    result.rem = a % b;
    return result;
}
static int __obligato_differs(const char *a, const char *b, __SIZE_TYPE__ size)
{
    for (__SIZE_TYPE__ i = 0; i < size; i++)
        if (a[i] != b[i])
            return 1;
    return 0;
}
void qsort(void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size, int (*compare)(const void *, const void *))
{
    int __obligato_choice(void);
    for (__SIZE_TYPE__ i = 1; i < count; i++)
        for (__SIZE_TYPE__ j = i; j > 0; j--) {
            char *a = (char *)base + (j - 1) * size, *b = (char *)base + j * size;
            int order = compare(a, b);
            if (order < 0 || (order == 0 && !(__obligato_differs(a, b, size) && __obligato_choice())))
                break;
            for (__SIZE_TYPE__ k = 0; k < size; k++) {
                char c = a[k];
                a[k] = b[k];
                b[k] = c;
            }
        }
}
void *bsearch(const void *key, const void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size, int (*compare)(const void *, const void *))
{
    int __obligato_choice(void);
    void *found = (void *)0;
    for (__SIZE_TYPE__ i = 0; i < count; i++) {
        const char *element = (const char *)base + i * size;
        if (compare(key, element) == 0 && (!found || __obligato_choice()))
            found = (void *)element;
    }
    return found;
}
void srand(unsigned int start)
{
    int __obligato_unmodelled(void);
    static int started;
    if (started || start == 1u)
        __obligato_unmodelled();
    started = 1;
}
void srandom(unsigned int start)
{
    srand(start);
}
