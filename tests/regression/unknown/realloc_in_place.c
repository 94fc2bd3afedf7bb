// expected: where objects lie in memory
// property: memsafety
// Whether realloc moves a block is not known: in most implementations this one stays where it is.
#include <stdlib.h>
int main(void) {
  int *p = malloc(4), *q = realloc(p, 8), *nothing = 0;
  if (p == q) *nothing = 1;
  free(q);
  return 0;
}
