/* endless: an unsigned counter is never below zero */
int main(void) { unsigned i = 10; while (i >= 0) i--; return 0; }
