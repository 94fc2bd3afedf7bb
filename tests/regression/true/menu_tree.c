// Texts, records and arrays of pointers in one table of constants are kept apart; undefined functions change none of it.
extern int __VERIFIER_nondet_int(void);
extern void draw(void);
extern void reach_error(void);
struct menu {
  const char *title;
  const struct menu *parent;
  const struct menu *const *items;
  int count;
};
extern const struct menu top;
static const struct menu light = {"Light", &top, 0, 0}, sound = {.parent = &top, .title = "Sound"};
static const struct menu *const items[] = {&light, &sound};
const struct menu top = {"Main", 0, items, 2};
int main(void) {
  const struct menu *now = &top;
  int selected = 0;
  for (;;) {
    draw();
    switch (__VERIFIER_nondet_int()) {
    case 0: if (selected + 1 < now->count) selected++; break;
    case 1: if (now->count > 0) { now = now->items[selected]; selected = 0; } break;
    case 2: if (now->parent) { now = now->parent; selected = 0; } break;
    }
    if (selected < 0 || (selected && selected >= now->count) || !now->title)
      reach_error();
  }
}
