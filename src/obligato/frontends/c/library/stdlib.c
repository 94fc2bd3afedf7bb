/* <stdlib.h>: numbers from texts [C11, 7.22.1]. What does not fit is undefined behaviour, and computed modulo the type here.
   Which of several equal elements bsearch finds, and how qsort orders them, is not specified; they have no definition here. */
int atoi(const char *s)
{
    unsigned int value = 0;
    int negative = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+') {
        negative = *s == '-';
        s++;
    }
    while (*s >= '0' && *s <= '9') {
        value = value * 10u + (unsigned int)(*s - '0');
        s++;
    }
    return (int)(negative ? 0u - value : value);
}
