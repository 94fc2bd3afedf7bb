// The address of the source is part of the target.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
struct entry { int next, value; } table[3] = {{1, 10}, {2, 20}, {0, 30}};

int main(void) {
  struct node c = {0, __VERIFIER_nondet_int()}, b = {&c, 2}, a = {&b, 1}, *p = &a;
  *p = *p->next;
  assert(a.next == &c && a.value == 2);
  struct entry e = table[0];
  e = table[e.next];
  assert(e.next == 2 && e.value == 20);
  struct entry other = {0, c.value};
  table[table[0].next] = other;
  assert(table[1].value == c.value && table[0].value == 10);
  return 0;
}
