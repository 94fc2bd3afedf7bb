// A step from a pointer to the next one, which is declared to point to another type.
extern void reach_error(void);
struct record { char *name; int value; };
static struct record record;
static int other;
static struct { int *number; struct record *record; } two = {&other, &record};
int main(void) {
  int **p = &two.number, *q = other ? &other : &record.value, i = 1;
  *q = 1;
  *p[i] = 5;
  if (record.name && *q == 1)
    reach_error();
  return 0;
}
