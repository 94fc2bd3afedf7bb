// property: valid-memsafety
// expected: whether memory is lost
#include <stdlib.h>

int main(void) {
  void *p = aligned_alloc(16, 16);
  p = 0;
  return 0;
}
