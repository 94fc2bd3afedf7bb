#include <assert.h>
#include <string.h>

int main(void) {
  unsigned char b[8] = {3, 9, 9, 9, 9, 9, 9, 9}, c[4] = {1, 2, 3, 4}, d[4] = {4, 0, 0, 0};
  memset(b, 0, b[0]);
  assert(b[1] == 0 && b[2] == 0 && b[3] == 9);
  memset(c, c[1] + 1, 4);
  assert(c[0] == 3 && c[3] == 3);
  memcpy(d, c, d[0]);
  assert(d[3] == 3);
  return 0;
}
