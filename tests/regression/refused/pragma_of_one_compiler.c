// expected: pragma align is not supported
void reach_error(void);
#pragma align=packed
struct pair { char c; int i; };

int main(void) {
    if (sizeof(struct pair) != 5)
        reach_error();
    return 0;
}
