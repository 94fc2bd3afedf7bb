// expected: which elements are compared is not specified
#include <stdlib.h>
extern void reach_error(void);
static int calls;
static int compare(const void *a, const void *b) {
  calls++;
  return *(const int *)a - *(const int *)b;
}
int main(void) {
  int numbers[5] = {2, 1, 5, 4, 3};
  qsort(numbers, 5, sizeof numbers[0], compare);
  if (calls != 7) reach_error();
}
