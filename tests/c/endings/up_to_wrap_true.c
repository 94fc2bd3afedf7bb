/* ends: an unsigned char counts up through the wrap-around to zero */
int main(void) { unsigned char x = 1; while (x != 0) x++; return 0; }
