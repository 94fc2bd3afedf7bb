// expected: two definitions of f
// Which one is called depends on the level of optimisation.
extern void reach_error(void);
extern inline __attribute__((gnu_inline)) int f(void) { return 1; }
int f(void) { return 2; }
int main(void) {
  if (f() != 1) reach_error();
  return 0;
}
