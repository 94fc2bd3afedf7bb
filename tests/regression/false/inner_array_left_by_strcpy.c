// A pointer leaves the array inside a record for which it was made, and changes what is behind it.
#include <string.h>
extern void reach_error(void);
struct T { char b[4]; int n; } t;
int main(void) {
  strcpy(t.b, "abcdefg");
  if (t.n != 0) reach_error();
  return 0;
}
