// expected: memcpy of parts of memory that overlap
// Compilers copy as if by memmove, we copied from the first byte to the last; C leaves it open.
#include <string.h>
extern void reach_error(void);
int main(void) {
  char a[8] = "abcdefg";
  memcpy(a + 1, a, 4);
  if (a[2] != 'a') reach_error();
  return 0;
}
