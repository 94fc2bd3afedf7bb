// property: memsafety
#include <stdlib.h>
#include <string.h>
struct s { int a; char b; };

int main(void) {
  struct s *p = malloc(5);
  memset(p, 0, 5);
  memset(p, 0, sizeof *p);
  free(p);
  return 0;
}
