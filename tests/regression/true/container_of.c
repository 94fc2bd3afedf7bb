// A pointer to a member becomes one to the record around it; the head of the list is in none.
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - __builtin_offsetof(type, member)))
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct list { struct list *next, *prev; };
struct task { int priority; const char *name; struct list link; };
static struct list head = {&head, &head};
static struct task idle = {1, "idle"}, worker = {7, "worker"};
static void add(struct list *n) {
  n->next = head.next;
  n->prev = &head;
  head.next->prev = n;
  head.next = n;
}
int main(void) {
  add(&worker.link);
  if (__VERIFIER_nondet_int())
    add(&idle.link);
  int best = 0;
  const char *name = 0;
  for (struct list *l = head.next; l != &head; l = l->next) {
    struct task *t = container_of(l, struct task, link);
    if (t->priority > best) {
      best = t->priority;
      name = t->name;
    }
  }
  if (best != 7 || name != worker.name)
    reach_error();
  return 0;
}
