// In one block, the order and the distance of addresses are those of its elements, also as numbers.
#include <stdlib.h>
extern void reach_error(void);
int main(void)
{
    char *p = malloc(40), *q = p + 30;
    if ((unsigned long)p >= (unsigned long)q || (unsigned long)q - (unsigned long)p != 30)
        reach_error();
    return 0;
}
