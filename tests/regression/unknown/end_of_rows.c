// expected: where objects lie in memory
// The row behind the last one begins where another array may begin.
extern void reach_error(void);
int a[2][2], b[2][2];
int main(void) {
  if (a[2] == b[0]) reach_error();
  return 0;
}
