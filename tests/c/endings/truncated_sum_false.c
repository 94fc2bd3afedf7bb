/* endless: the sum is cut off to 8 bits and stays below 250 now and then */
int main(void) { unsigned char x = 0; while (x < 250) { x += 100; x += 156; } return 0; }
