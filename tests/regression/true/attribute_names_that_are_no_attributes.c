#include <assert.h>
int constructor = 3, cleanup = 4; /* __attribute__((constructor)) */
const char *s = "__attribute__((constructor))";
int main(void) {
  int destructor = constructor + cleanup;
  assert(destructor == 7);
  switch (destructor) {
  case 7: destructor++; __attribute__((fallthrough));
  default: destructor++;
  }
  assert(destructor == 9);
  return 0;
}
