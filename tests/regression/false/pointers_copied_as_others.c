// Pointers to records are copied to pointers to int, which write the first bytes of a record.
#include <string.h>
extern void reach_error(void);
struct record { char *name; int value; };
static struct record record;
static int other;
int main(void) {
  int *numbers[1], *p = other ? &other : &record.value;
  struct record *records[1] = {&record};
  *p = 3;
  memcpy(numbers, records, sizeof numbers);
  *numbers[0] = 5;
  if (record.name && *p == 3)
    reach_error();
  return 0;
}
