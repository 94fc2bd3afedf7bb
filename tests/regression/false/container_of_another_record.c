// Members of two records are linked, and taken for members of one of them.
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - __builtin_offsetof(type, member)))
extern void reach_error(void);
struct list { struct list *next; };
struct task { int priority; const char *name; struct list link; };
struct timer { const char *name; int ticks; struct list link; };
static struct task task = {1, "task"};
static struct timer timer = {0, 5};
int main(void) {
  task.link.next = &timer.link;
  struct list *l = &task.link;
  int n = 0;
  for (; l; l = l->next)
    n += container_of(l, struct task, link)->priority;
  if (n != 1 + 5)
    reach_error();
  return 0;
}
