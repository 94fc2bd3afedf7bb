// property: valid-memsafety
// The second block of the list is not freed; the static pointer leads to memory that is.
extern void *malloc(unsigned long);
extern void free(void *);
struct node { struct node *next; int *data; };
static struct node *list;
int main(void) {
  for (int i = 0; i < 2; i++) {
    struct node *new = malloc(sizeof *new);
    new->data = malloc(4);
    *new->data = i;
    new->next = list;
    list = new;
  }
  free(list->data);
  free(list->next->data);
  free(list);
  return 0;
}
