/* endless: x <= 255 always holds for an unsigned char */
int main(void) { unsigned char x = 0; while (x <= 255) x++; return 0; }
