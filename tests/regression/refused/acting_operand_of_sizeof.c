// expected: side effect in the size
// The operand has a type of variable length, so it is evaluated, also if nobody wants the size.
extern void reach_error(void);
int calls;
static int count(void) { return ++calls; }
int main(void) {
  int n = 3, b[n];
  (void)sizeof(*(count(), &b));
  if (calls != 1) reach_error();
  return 0;
}
