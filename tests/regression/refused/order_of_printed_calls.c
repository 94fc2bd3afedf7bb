// expected: unspecified order of evaluation
extern void reach_error(void);
extern int printf(const char *, ...);
int c;
int f(int k) { return c = 10 * c + k; }
int main(void) {
  printf("%d %d\n", f(1), f(2));
  if (c == 21) reach_error();
  return 0;
}
