// expected: where objects lie in memory
// The variable may lie there; the number is in a variable first.
extern void reach_error(void);
int x;
int main(void) {
  unsigned long n = 0x1000;
  int *p = (int *)n;
  if (p == &x) reach_error();
  return 0;
}
