// The record around a list node is found by its offset; the nodes are in an array that is indexed by a variable.
typedef __SIZE_TYPE__ size_t;
extern void reach_error(void);
#define AROUND(p, t, m) ((t *)((char *)(p) - __builtin_offsetof(t, m)))
struct list { struct list *next; };
struct device { int id; struct list node; unsigned char registers[4]; };
static struct device devices[3] = {{.id = 1}, {.id = 2}, {.id = 3}};
int main(void) {
  struct list *head = 0;
  for (int i = 0; i < 3; i++) { devices[i].node.next = head; head = &devices[i].node; }
  int ids = 0;
  for (struct list *l = head; l; l = l->next) ids = 10 * ids + AROUND(l, struct device, node)->id;
  if (ids != 321) reach_error();
  return 0;
}
