// expected: memory safety of a pointer to a variable-length array
// property: memsafety
static int f(int m, int (*a)[m]) { a++; return (*a)[0]; }
int main(void) { int a[2][2] = {{1, 2}, {3, 4}}; return f(2, a); }
