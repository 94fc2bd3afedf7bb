// property: memsafety
// printf stops at the zero, and does not read the text.
#include <stdio.h>

int main(void) {
  char a[3] = {'a', 'b', 'c'};
  printf("x\0%s\n", a);
  return 0;
}
