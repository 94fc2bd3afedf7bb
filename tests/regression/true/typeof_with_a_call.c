#include <assert.h>
#define MAX(a, b) ({ __typeof__(a) x = (a); __typeof__(b) y = (b); x > y ? x : y; })
int calls;
int f(int x) { calls++; return x + 1; }

int main(void) {
  int i = 3, m = MAX(f(i), 2), n = MAX(i++, 1);
  assert(m == 4 && n == 3 && i == 4 && calls == 1);
  return 0;
}
