// The pointers of a list of free blocks lie where users of the blocks have bytes, which nobody reads here.
extern void reach_error(void);
typedef union slot { union slot *next; unsigned char bytes[16]; } slot;
static slot pool[3], *free_list;
static slot *get(void) { slot *s = free_list; if (s) free_list = s->next; return s; }
static void put(slot *s) { s->next = free_list; free_list = s; }
int main(void) {
  for (int i = 0; i < 3; i++) put(&pool[i]);
  slot *a = get(), *b = get(), *c = get();
  if (!a || a == b || b == c || a == c || get()) reach_error();
  put(b);
  if (get() != b) reach_error();
  return 0;
}
