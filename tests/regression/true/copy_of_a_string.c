#include <assert.h>
#include <string.h>
int main(void) {
  char a[8] = "1234567", b[8];
  strcpy(b, a);
  assert(strcmp(a, b) == 0);
  assert(strlen(b) == 7);
  return 0;
}
