// The length in a named type is that of its declaration, and its size too.
#include <assert.h>
int main(void) {
  int n = 3;
  typedef int row[n];
  n = 5;
  row a[2];
  a[1][1] = 7;
  assert(a[1][1] == 7 && sizeof(a) == 6 * sizeof(int) && sizeof(int[n][2]) == 10 * sizeof(int));
  return a[1][1] - 7;
}
