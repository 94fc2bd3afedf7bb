// A pointer to a record becomes one to int by way of its number.
extern void reach_error(void);
struct record { char *name; int value; };
static struct record record;
static int other;
int main(void) {
  int *p = other ? &other : &record.value;
  *p = 3;
  *(int *)(unsigned long)&record = 9;
  if (record.name && *p == 3)
    reach_error();
  return 0;
}
