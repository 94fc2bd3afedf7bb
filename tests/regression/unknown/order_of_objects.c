// expected: where objects lie in memory
// Either object may come first.
extern void reach_error(void);
int x, y;
int main(void) {
  int *p = &x, *q = &y;
  if (p > q) reach_error();
  return 0;
}
