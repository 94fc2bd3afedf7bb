// expected: where objects lie in memory
// The end of one array may be the start of the other, without a variable in between.
extern void reach_error(void);
int a[2], b[2];
int main(void) {
  if (a + 2 == b) reach_error();
  return 0;
}
