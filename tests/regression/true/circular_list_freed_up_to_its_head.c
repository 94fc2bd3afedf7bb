// property: memsafety
// The head is compared after it was freed: nothing was allocated since, so its address is still nobody's.
#include <stdlib.h>
struct node {
  struct node *next;
};
int main(void) {
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
  a->next = b;
  b->next = c;
  c->next = a;
  struct node *p = a;
  do {
    struct node *t = p->next;
    free(p);
    p = t;
  } while (p != a);
  return 0;
}
