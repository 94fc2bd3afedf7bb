// property: memsafety
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = calloc(2, 1);
    free(text);
    puts(text);
    return 0;
}
