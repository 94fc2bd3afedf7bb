/* ends: the same bound, but an int passes it */
int main(void) { int x = 0; while (x <= 255) x++; return 0; }
