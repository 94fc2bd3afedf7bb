#include <assert.h>
#include <string.h>

int main(void) {
  unsigned char b[8] = {3, 9, 9, 9, 9, 9, 9, 9};
  memset(b, 0, b[0]);
  assert(b[1] == 9);
  return 0;
}
