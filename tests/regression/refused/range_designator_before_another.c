// expected: range designator before another one
int a[2][3] = {[0 ... 1][2] = 5};
int main(void) { return a[1][2]; }
