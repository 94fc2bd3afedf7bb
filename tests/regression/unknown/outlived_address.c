// expected: where objects lie in memory
// A variable may have another address when its function is called again.
extern void reach_error(void);
int *last;
void f(int again) {
  int x;
  if (again && last != &x) reach_error();
  last = &x;
}
int main(void) {
  f(0);
  f(1);
  return 0;
}
