// The bytes between the members are copied, too, or have any value.
#include <string.h>
extern void reach_error(void);
struct s { char a; int b; };
int main(void) {
  struct s x, y;
  memset(&x, 0xff, sizeof x);
  memset(&y, 0, sizeof y);
  y = x;
  if (memcmp(&x, &y, sizeof x) == 0) reach_error();
  return 0;
}
