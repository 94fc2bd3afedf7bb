#include <stdarg.h>
extern void reach_error(void);
static long double half(int n, ...) { va_list ap; va_start(ap, n); n += va_arg(ap, int); return va_arg(ap, long double) / 2 + n; }
int main(void) { if (half(1, 2, 2.5L) != 4.25L) reach_error(); return 0; }
