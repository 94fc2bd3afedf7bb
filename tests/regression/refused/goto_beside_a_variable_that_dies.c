// expected: memory safety of a local variable beside goto
// property: memsafety
int *g;
int main(void) { int i = 0; again: { { int x = 1; g = &x; *g = 2; } } if (i++ < 2) goto again; return 0; }
