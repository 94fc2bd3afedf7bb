// expected: a null pointer is printed
// property: memsafety
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char text[2] = "a";
    char *shown = __VERIFIER_nondet_int() ? text : 0;
    printf("%s", shown); /* C leaves it undefined, libraries print something */
    return 0;
}
