// expected: no address left
// Two blocks of this size are more than memory has: compiled, the second pointer is null and the run goes on.
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  char *p = malloc(~(size_t)0 / 3 * 2), *q = malloc(~(size_t)0 / 3 * 2);
  if (p) p[0] = 1;
  if (q) q[0] = 1;
  reach_error();
  return 0;
}
