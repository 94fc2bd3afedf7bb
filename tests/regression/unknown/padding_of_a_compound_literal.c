// expected: padding of a record
// gcc leaves the byte between the members as it is, clang stores zero.
#include <string.h>
extern void reach_error(void);
struct s { char a; int b; };
int main(void) {
  struct s x;
  memset(&x, 0xff, sizeof x);
  x = (struct s){1, 2};
  if (((unsigned char *)&x)[1] != 0xff) reach_error();
  return 0;
}
