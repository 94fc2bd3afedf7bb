// Pointers to int lead to variables and into records that hold pointers: no cast shows any of them as something else.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct job {
  const char *name;
  int runs;
  struct job *next;
  int *counter;
};
static int total;
static struct job second = {"b", 0, 0, &total};
static struct job first = {"a", 0, &second, &second.runs};
int main(void) {
  while (__VERIFIER_nondet_int()) {
    for (struct job *j = &first; j; j = j->next)
      if (*j->counter < 9)
        ++*j->counter;
    if (total != second.runs || total > 9 || first.runs || first.next != &second || !second.name)
      reach_error();
  }
  return 0;
}
