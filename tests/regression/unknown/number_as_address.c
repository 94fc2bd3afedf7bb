// expected: where objects lie in memory
// The variable may lie there.
extern void reach_error(void);
int x;
int main(void) {
  int *p = (int *)0x5000;
  if (p == &x) reach_error();
  return 0;
}
