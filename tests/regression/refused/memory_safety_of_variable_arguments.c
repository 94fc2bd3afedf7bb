// property: memsafety
// expected: memory safety of variable arguments
#include <stdarg.h>
static va_list kept;
static int keep(int n, ...) { va_start(kept, n); return 0; }
int main(void) { keep(1, 2); return va_arg(kept, int); }
