/* Undefined functions that may change memory. */
extern int elsewhere(int); extern void change(int *), keep(const char *); extern _Bool __VERIFIER_nondet_bool(void);
int mine = 4, table[3]; static int hidden = 7; static int *reached = &hidden; double ratio; struct item { int v; struct item *next; } first; int *moved = table;
int main(void) {
  int local = 2, *p = __VERIFIER_nondet_bool() ? &local : table; struct item second = {3, &first}; mine = elsewhere(hidden);
  change(p); keep("text"); *reached += second.next == &first; moved++; first.v = elsewhere(*moved); ratio = first.v / 2.0;
  return hidden + local * 0;
}
