// property: memsafety
#include <stdlib.h>
#include <string.h>
struct s { char a; int b; char c; };

int main(void) {
  struct s s = {1, 2, 3}, *p = malloc(4), *q = malloc(sizeof *q);
  memcpy(p, &s, 4);
  *q = s;
  int r = p->a + q->c;
  free(p);
  free(q);
  return r;
}
