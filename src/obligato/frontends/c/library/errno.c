/* <errno.h>: many functions may set it, also those that succeed, so it has any value whenever the program looks. */
int *__errno_location(void)
{
    int __obligato_choice(void);
    static int number;
    number = __obligato_choice();
    return &number;
}
