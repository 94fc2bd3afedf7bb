// expected: side effect in the size
// It runs when the function is called.
extern void reach_error(void);
int f(int n, int a[n++]) { return n; }
int main(void) {
  int b[5];
  if (f(3, b) == 4) reach_error();
  return 0;
}
