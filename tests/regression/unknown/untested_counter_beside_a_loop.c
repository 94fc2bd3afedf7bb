// property: termination
// expected: overflow in signed arithmetic
// The loop comes back in all that it tests; n overflows after many rounds.
int main(void) {
    int x = 0, n = 0;
    while (x >= 0) {
        n = n + 2;
        x = 1 - x;
    }
}
