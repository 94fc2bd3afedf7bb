// expected: called by another type
// A function gets a pointer by a type without parameters where it expects a number: what the number led
// to was anything, which refuted what every compiled run fulfils.
extern void reach_error(void);
typedef __INTPTR_TYPE__ number;
static int next(number b) { return *(int *)b + 1; }
int main(void) {
  int b = 4;
  int (*f)() = (int (*)())next;
  if (f(&b) != 5) reach_error();
  return 0;
}
