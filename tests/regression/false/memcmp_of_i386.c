// data model: ILP32
// glibc returns the sign of the difference, not the difference.
#include <string.h>
extern void reach_error(void);
int main(void) {
  char a[3] = "xc", b[3] = "xa";
  if (memcmp(a, b, 2) == 1) reach_error();
  return 0;
}
