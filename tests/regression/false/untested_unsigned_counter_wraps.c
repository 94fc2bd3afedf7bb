// property: termination
// Unsigned words wrap around, so this run is one that C defines.
int main(void) {
    unsigned x = 1;
    while (1)
        x++;
}
