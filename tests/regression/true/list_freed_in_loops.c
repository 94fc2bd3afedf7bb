// property: valid-memsafety
// A ring is built, walked and freed by loops, and one that an input ends: each can be left, so no lost block is overlooked.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
int main(void) {
  struct node *first = malloc(sizeof *first), *last = first, *p;
  first->data = 0;
  for (int i = 1; i < 3; i++) {
    last->next = malloc(sizeof *last);
    last = last->next;
    last->data = i;
  }
  last->next = first;
  int sum = 0;
  for (p = first->next; p != first; p = p->next)
    sum += p->data;
  while (sum && __VERIFIER_nondet_int())
    first->data++;
  for (p = first->next; p != first; p = last) {
    last = p->next;
    free(p);
  }
  free(first);
  return 0;
}
