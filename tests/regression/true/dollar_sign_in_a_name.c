#include <stdlib.h>
extern void reach_error(void);
int heap$ = 3;

int main(void) {
  int *p = malloc(sizeof *p);
  *p = heap$;
  if (heap$ != 3 || *p != 3)
    reach_error();
  return 0;
}
