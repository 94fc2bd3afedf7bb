// Sizes of types in the standard headers are those of glibc.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
extern void reach_error(void);
int main(void) {
  if (sizeof(struct tm) != 9 * sizeof(int) + (sizeof(long) == 8 ? 4 : 0) + sizeof(long) + sizeof(char *))
    reach_error();
  if (sizeof(fpos_t) != sizeof(long) + 8 || _Alignof(max_align_t) != 16)
    reach_error();
  if (_Generic((int_fast64_t)0, long: 8, long long: 4) != sizeof(long))
    reach_error();
  return 0;
}
