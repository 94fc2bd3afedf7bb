// property: valid-memsafety
// Names with dollars, which compilers allow, are those of the program also where the model has its own.
#include <stdlib.h>

unsigned left$ = 3;
unsigned long x$start = 4;
static int *q;

static void f(void)
{
    int x = 3;
    q = &x;
    *q = 5;
}

int main(void)
{
    f();
    char *p = malloc(3);
    for (int i = 0; i < 3; i++)
        p[i] = left$;
    free(p);
    return x$start;
}
