// expected: where objects lie in memory
// The second block may lie where the first one was.
extern void reach_error(void);
extern void *__builtin_alloca(__SIZE_TYPE__);
int *f(void) { return __builtin_alloca(4); }
int main(void) {
  int *p = f(), *q = f();
  if (p == q) reach_error();
  return 0;
}
