// a target that scanf does not convert keeps its value, and targets are known before any is written
extern void reach_error(void);
extern int scanf(const char *, ...);

int main(void) {
  int x = 0, y = 0, i = 0, a[2] = {0, 0};
  int r = scanf("%d %d", &x, &y);
  if (r < 1 && x != 0) reach_error();
  if (r < 2 && y != 0) reach_error();
  scanf("%d%d", &i, &a[i]);
  if (a[1] != 0) reach_error();
  x = scanf("%d", &x);
  if (x > 1) reach_error();
  return 0;
}
