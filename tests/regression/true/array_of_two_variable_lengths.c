// The lengths were taken in the wrong order.
extern void reach_error(void);
int main(void) {
  int n = 2, m = 3, a[n][m];
  a[0][2] = 5;
  a[1][0] = 7;
  if (a[0][2] != 5) reach_error();
  return 0;
}
