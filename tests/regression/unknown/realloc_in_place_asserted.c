// expected: where objects lie in memory
// Whether realloc moves a block is not known: in most implementations this one stays where it is.
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(4), *q = realloc(p, 8);
  assert(p != q);
  free(q);
  return 0;
}
