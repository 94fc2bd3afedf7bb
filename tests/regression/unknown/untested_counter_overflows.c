// property: termination
// expected: overflow in signed arithmetic
// Nothing tests x, but every infinite run overflows.
int main(void) {
    int x = 1;
    while (1)
        x++;
}
