// A pointer leaves the array inside a record for which it was made, and changes what is behind it.
#include <string.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct T { char b[4]; int n; } t; char src[8] = "abcdefg";
int main(void) {
  unsigned i = __VERIFIER_nondet_uint();
  if (i > 8) return 0;
  memcpy(t.b, src, i);
  if (t.n != 0) reach_error();
  return 0;
}
