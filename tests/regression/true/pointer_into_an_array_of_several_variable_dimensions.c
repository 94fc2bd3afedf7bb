int main(void) { int n = 3; int a[n][n]; int *p = &a[1][1]; *p = 0; return a[1][1]; }
