// expected: what a library function leaves open
// Any function may have set it, so it is any number whenever it is read: that refutes nothing.
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  errno = 0;
  (void)strtol("9", 0, 10);
  if (errno == ERANGE) reach_error();
  return 0;
}
