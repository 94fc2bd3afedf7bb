int main(void) {
    unsigned x = 3;
    while (x != 92)
        x = x * x % 101;
    return 0;
}
