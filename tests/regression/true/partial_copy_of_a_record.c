#include <assert.h>
#include <stddef.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct packet { char tag; int len; char data[8]; };
struct state { int a; short b; int keep; };

int main(void) {
  int n = __VERIFIER_nondet_int();
  struct packet a = {1, n, "abc"}, b = {2, 3, "xyz"};
  memcpy(&b, &a, 8);
  assert(b.tag == 1 && b.len == n && b.data[0] == 'x');
  struct state s = {n, n, n};
  memset(&s, 0, offsetof(struct state, keep));
  assert(s.a == 0 && s.b == 0 && s.keep == n);
  return 0;
}
