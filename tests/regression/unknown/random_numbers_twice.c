// expected: a use of a library function that is not modelled
// The same start gives the same numbers [C11, 7.22.2.2].
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  srand(5);
  int a = rand();
  srand(5);
  if (rand() != a) reach_error();
  return 0;
}
