// expected: variable-length array type
int main(void) { int n = 3; typedef int row[n]; row a[2]; a[1][1] = 0; return a[1][1]; }
