// property: memsafety
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char text[8];
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 7)
        return 0;
    for (int i = 0; i < 8; i++)
        text[i] = i == n ? 0 : 'a';
    text[0] = 'a';
    printf("%d %s\n", n, text); /* n == 0 */
    return 0;
}
