// expected: the result depends on an unspecified order of evaluation (of accesses to calls)
static int calls;
static int f(void) { calls++; return 1; } static int g(void) { calls *= 2; return 1; }
int main(void) { return f() + g(); }
