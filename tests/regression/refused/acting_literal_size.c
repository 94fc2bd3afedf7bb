// expected: side effect in the size
// It runs where the literal is.
extern void reach_error(void);
int main(void) {
  int n = 2;
  void *p = ((int(*[1])[n++]){0})[0];
  if (n == 3) reach_error();
  return 0;
}
