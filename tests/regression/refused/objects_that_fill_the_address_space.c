// expected: fill the address space
#define HUGE [(__SIZE_TYPE__)1 << (8 * sizeof(void *) - 4)]
char a HUGE, b HUGE, c HUGE, d HUGE, e HUGE;
char *p = a, *q = b, *r = c, *s = d, *t = e;
int main(void) { return *p + *q + *r + *s + *t; }
