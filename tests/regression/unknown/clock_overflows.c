// property: ltl: []<>AP(on == 1)
// expected: limit
// The lamp stays off for ever, but the clock, which the formula does not name, overflows on every run.
int on = 0, clock = 0;
int main(void) {
    while (1)
        clock = clock + 1000000000;
}
