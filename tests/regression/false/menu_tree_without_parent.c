// The menu at the top has no parent; its members are found in tables of constants.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct menu {
  const char *title;
  const struct menu *parent;
  const struct menu *const *items;
  int count;
};
extern const struct menu top;
static const struct menu light = {"Light", &top, 0, 0};
static const struct menu *const items[] = {&light};
const struct menu top = {"Main", 0, items, 1};
int main(void) {
  const struct menu *now = &top;
  for (int i = 0; i < 3; i++) {
    if (__VERIFIER_nondet_int())
      now = now->parent;
    else if (now->count)
      now = now->items[0];
    if (!now)
      reach_error();
  }
  return 0;
}
