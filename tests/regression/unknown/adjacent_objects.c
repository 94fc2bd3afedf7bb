// expected: where objects lie in memory
// The end of one array may be the start of the other.
extern void reach_error(void);
int a[2], b[2];
int main(void) {
  int *p = a + 2, *q = b;
  if (p == q) reach_error();
  return 0;
}
