// expected: constant index out of bounds
int main(void) { int a[2] = {1, 2}; if (a[0] == 3) return a[5]; return 0; }
