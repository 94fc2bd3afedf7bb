// property: termination
// The state comes back after more rounds than a random run has.
int main(void) {
    int x = 0;
    while (1) {
        x = x + 1;
        if (x == 1000000)
            x = 0;
    }
}
