// property: memsafety
#include <stdlib.h>
struct s { int a; char b; };

int main(void) {
  struct s s = {1, 2}, *p = malloc(5);
  p->b = 3;
  *p = s;
  free(p);
  return 0;
}
