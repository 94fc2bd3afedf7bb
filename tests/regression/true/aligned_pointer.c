// The value of __builtin_assume_aligned is its first argument: it leads to the same variable.
extern void reach_error(void);
int main(void) {
  int x = 4;
  int *p = __builtin_assume_aligned(&x, 4);
  *p += 1;
  if (x != 5 || *p != 5) reach_error();
  return 0;
}
