/* ends: a signed one is */
int main(void) { int i = 10; while (i >= 0) i--; return 0; }
