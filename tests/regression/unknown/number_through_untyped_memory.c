// expected: where objects lie in memory
// A pointer is carried by a number through memory of no type: what it points to is not known, so the
// assertion (which holds) may not be refuted.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int g;
int main(void) {
  long n = (long)&g;
  void *a = malloc(sizeof(long));
  int *p;
  memcpy(a, &n, sizeof(long));
  memcpy(&p, a, sizeof(p));
  *p = 5;
  assert(g == 5);
  return 0;
}
