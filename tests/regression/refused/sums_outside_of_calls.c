// expected: the result depends on an unspecified order of evaluation (of accesses to n)
int main(void) { int n = 0, x = (n++, 0) + (n++, 0); return n + x; }
