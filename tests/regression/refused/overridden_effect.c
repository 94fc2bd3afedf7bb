// expected: an initialiser with effects that another one overrides
// Compilers do not evaluate the first call, C leaves it open.
extern void reach_error(void);
int calls;
int next(void) { return ++calls; }
int main(void) {
  int a[2] = {next(), 5, [0] = next()};
  if (calls == 1) reach_error();
  return a[1];
}
