#include <assert.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static void check(int ok) {
  if (!ok)
    reach_error();
}

int main(void) {
  int x = __VERIFIER_nondet_int();
  check(x == x);
  assert(x != 7);
  return 0;
}
