// expected: va_start in a function with a fixed number of arguments
#include <stdarg.h>
extern void reach_error(void);
static va_list list;
static int f(int x, int y) {
  va_start(list, y);
  va_end(list);
  return x;
}
int main(void) {
  if (f(5, 6) == 5) reach_error();
  return 0;
}
