// expected: side effect in the size
// It runs where the type is named.
extern void reach_error(void);
int main(void) {
  int n = 2, b[20];
  typedef int T[n++];
  if (n == 3) reach_error();
  return 0;
}
