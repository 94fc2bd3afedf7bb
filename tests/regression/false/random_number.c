#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  srand(5);
  if (rand() % 4 == 3) reach_error();
  return 0;
}
