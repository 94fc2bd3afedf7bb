// property: valid-memsafety
// One node is taken out of the list and not freed; the loops can all be left.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
int main(void) {
  struct node *first = 0, *p;
  do {
    p = malloc(sizeof *p);
    p->next = first;
    first = p;
  } while (__VERIFIER_nondet_int());
  if (first->next)
    first->next = first->next->next;
  while (first) {
    p = first->next;
    free(first);
    first = p;
  }
  return 0;
}
