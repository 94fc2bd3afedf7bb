// property: memsafety
// A record that points to its own kind and to another one.
extern void *malloc(unsigned long);
extern void free(void *);
struct data { int value; };
struct node { struct node *next; struct data *data; };
int main(void) {
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  a->next = b;
  b->next = a;
  a->data = malloc(sizeof(struct data));
  b->data = a->next->next->data;
  b->data->value = 1;
  free(b->next->data);
  free(a);
  free(b);
  return 0;
}
