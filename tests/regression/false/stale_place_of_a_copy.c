// The address of the source is part of the target.
#include <assert.h>
struct entry { int next, value; } table[3] = {{1, 10}, {2, 20}, {0, 30}};

int main(void) {
  struct entry e = table[0];
  e = table[e.next];
  assert(e.value != 20);
  return 0;
}
