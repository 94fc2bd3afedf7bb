/* endless: steps of two from one never hit zero, also through the wrap-around */
int main(void) { unsigned x = 1; while (x != 0) x += 2; return 0; }
