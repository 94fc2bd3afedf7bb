// expected: in memory
extern int a[10];
int main(void) { int *p = a, i = 0; while (i < 3) i += p[i] + 1; return p[i]; }
