#include <assert.h>
#include <string.h>
struct packet { char tag; int len; char data[8]; };

int main(void) {
  struct packet a = {1, 2, "abc"}, b = {2, 3, "xyz"};
  memcpy(&b, &a, 8);
  assert(b.len == 3);
  return 0;
}
