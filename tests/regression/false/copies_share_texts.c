// A text in a function has one address, and a static variable is one, however often it is called.
#include <assert.h>
static const char *name(const char **p) { *p = "text"; return "text"; }
static int *count(int *p) { static int calls; calls += *p; return &calls; }
int main(void) {
  const char *a, *b;
  int one = 1, two = 2;
  name(&a);
  name(&b);
  count(&one);
  assert(a != b || *count(&two) != 3);
  return 0;
}
