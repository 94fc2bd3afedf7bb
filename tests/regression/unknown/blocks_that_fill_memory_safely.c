// expected: no address left
// property: memsafety
// The same where each block is allocated once: there the access that fails was taken to be in no run.
#include <stdlib.h>
int main(void) {
  char *p = malloc(~(size_t)0 / 3 * 2), *q = malloc(~(size_t)0 / 3 * 2), *nothing = 0;
  *nothing = p != q;
  return 0;
}
