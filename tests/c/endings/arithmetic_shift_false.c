/* endless: shifting a negative number to the right stays at -1 */
int main(void) { int x = -8; while (x != 0) x >>= 1; return 0; }
