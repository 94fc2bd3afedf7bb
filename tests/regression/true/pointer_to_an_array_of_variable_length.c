int main(void) { int n = 2; int a[n]; int (*p)[n] = &a; (*p)[1] = 3; return sizeof *p; }
