// expected: a variable argument of type struct p
#include <stdarg.h>
struct p { int a, b; };
static int f(int n, ...) { va_list ap; va_start(ap, n); return va_arg(ap, int); }
int main(void) { struct p p = {1, 2}; return f(1, p); }
