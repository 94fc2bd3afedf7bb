// property: ltl: []<>AP(on == 1)
int on = 0;
unsigned clock = 0;
int main(void) {
    while (1)
        clock = clock + 1;
}
