// expected: where objects lie in memory
// They may have any distance.
extern void reach_error(void);
int a[4], b[4];
int main(void) {
  int *p = a, *q = b;
  if (q - p == 3) reach_error();
  return 0;
}
