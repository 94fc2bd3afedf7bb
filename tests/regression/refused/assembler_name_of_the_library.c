// expected: magnitude is another name of abs, which is not supported
void reach_error(void);
int magnitude(int) __asm__("abs");

int main(void) {
    if (magnitude(-3) != 3)
        reach_error();
    return 0;
}
