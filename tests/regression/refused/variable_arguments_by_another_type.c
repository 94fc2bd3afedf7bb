// expected: call of a function with variable arguments by another type
#include <stdarg.h>
static int f(int n, ...) { va_list ap; va_start(ap, n); return va_arg(ap, int); }
int main(void) { int (*g)(int, int, ...) = (int (*)(int, int, ...))f; return g(1, 2, 3); }
