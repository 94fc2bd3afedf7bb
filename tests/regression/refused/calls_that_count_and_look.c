// expected: the result depends on an unspecified order of evaluation (of accesses to calls)
static int calls;
static int f(void) { calls++; if (calls > 1) return 7; return 1; }
int main(void) { return f() * 2 + f(); }
