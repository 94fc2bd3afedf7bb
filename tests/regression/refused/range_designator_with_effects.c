// expected: range designator of too many elements, or with effects
int main(void) { int n = 0, a[3] = {[0 ... 2] = n++}; return a[1]; }
