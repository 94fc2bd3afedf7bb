// expected: side effect in the size
// The operand has a type of variable length, so it is evaluated.
extern void reach_error(void);
int calls;
static int count(void) { return ++calls; }
int main(void) {
  int n = 3, b[n];
  __typeof__(*(count(), &b)) c;
  c[0] = 1;
  if (calls != c[0]) reach_error();
  return 0;
}
