/* Up and down, again and again. */
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), down = 0;
    if (x > 50)
        return 0;
    while (x > 0) {
        if (down) {
            x--;
            if (x < 5)
                down = 0;
        } else {
            x++;
            if (x > 100)
                down = 1;
        }
    }
    return 0;
}
