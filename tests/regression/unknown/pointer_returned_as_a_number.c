// expected: called by another type
// A function that returns a pointer is called as one that returns a number: what the number led to was
// anything, which refuted what every compiled run fulfils.
extern void reach_error(void);
typedef __INTPTR_TYPE__ number;
static int v = 4;
static int *place(void) { return &v; }
int main(void) {
  number (*get)(void) = (number (*)(void))place;
  if (*(int *)get() != 4) reach_error();
  return 0;
}
