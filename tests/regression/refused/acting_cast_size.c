// expected: side effect in the size
// It runs where the cast is.
extern void reach_error(void);
int main(void) {
  int n = 2, b[20];
  void *p = (int(*)[n++])b;
  if (n == 3) reach_error();
  return 0;
}
