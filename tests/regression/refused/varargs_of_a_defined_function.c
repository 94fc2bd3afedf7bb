// expected: builtin expression (such as va_arg)
int f(int n, ...) { __builtin_va_list v; return __builtin_va_arg(v, int); }
int main(void) { return f(1, 2); }
