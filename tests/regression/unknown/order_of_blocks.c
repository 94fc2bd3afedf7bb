// expected: where objects lie in memory
// The numbers of the addresses of two blocks have an order; which one, C does not tell.
#include <stdlib.h>
extern void reach_error(void);
int main(void)
{
    int *p = malloc(4), *q = malloc(4);
    if ((unsigned long)p >= (unsigned long)q)
        reach_error();
    return 0;
}
