// expected: padding of a record
#include <string.h>
extern void reach_error(void);
struct s { char a; int b; };
static int second(struct s x) { return ((unsigned char *)&x)[1]; }
int main(void) {
  struct s x;
  memset(&x, 0x55, sizeof x);
  if (second(x) != 0x55) reach_error();
  return 0;
}
