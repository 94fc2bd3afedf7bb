/* endless: the least signed char is its own negative */
int main(void) { signed char x = -128; while (x < 0) x = -x; return 0; }
