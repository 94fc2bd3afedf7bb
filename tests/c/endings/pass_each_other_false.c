/* endless: two counters at an odd distance pass each other for ever */
int main(void) { unsigned a = 0, b = 7; while (a != b) { a++; b--; } return 0; }
