/* ends: the bit leaves the word at the top */
int main(void) { unsigned x = 1; while (x) x <<= 1; return 0; }
