// property: termination
// A signed char is added to as an int, and converted back: defined by the implementation.
int main(void) {
    signed char x = 1;
    while (1)
        x = x + 1;
}
