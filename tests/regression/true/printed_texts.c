// property: memsafety
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char text[8];
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 7)
        return 0;
    for (int i = 0; i < n; i++)
        text[i] = 'a';
    text[n] = 0;
    printf("%d %-10s%%s\n", n, text);
    puts(text);
    char open[3] = "abc"; /* without an end: its address is printed only */
    printf("%p\n", (void *)open);
    char *block = malloc(2);
    block[0] = 'b';
    block[1] = 0;
    fputs(block, stderr);
    free(block);
    return 0;
}
