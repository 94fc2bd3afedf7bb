/* Up first, then down: each phase has a rank of its own. */
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), down = 0;
    if (x > 50)
        return 0;
    while (x > 0) {
        if (down) {
            x--;
        } else {
            x++;
            if (x > 100)
                down = 1;
        }
    }
    return 0;
}
