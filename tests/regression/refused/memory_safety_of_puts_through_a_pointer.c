// property: memsafety
// expected: memory safety of puts through a pointer
#include <stdlib.h>
int puts(const char *text);

int main(void)
{
    int (*print)(const char *) = puts;
    char *text = calloc(2, 1);
    free(text);
    print(text); /* reads freed memory */
    return 0;
}
