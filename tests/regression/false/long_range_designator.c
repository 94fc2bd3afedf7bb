// The bounds are expressions.
extern void reach_error(void);
int a[9][9] = {[(1 + 1 + 1 + 1 + 1 + 1)... 7] = {5}};
int main(void) {
  if (a[7][0] == 5) reach_error();
  return 0;
}
