// expected: memory safety of an array of open length
// property: memsafety
struct s { int n; int a[]; } g;
int main(void) { int i = g.n; return g.a[i]; }
