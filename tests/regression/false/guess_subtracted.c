// A pointer from outside is found to be that of a variable, and memory is changed through it.
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
struct N { struct N *next; int v; } a, b;
int main(void) {
  struct N *p = __VERIFIER_nondet_pointer(); a.next = &b; b.v = 3; if (p - &a == 0) { p->next->v = 5; if (b.v == 5) reach_error(); }
  return 0;
}
