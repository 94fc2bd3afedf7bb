// expected: where objects lie in memory
// Any of them may come first.
extern void reach_error(void);
void f(void) {}
void g(void) {}
int main(void) {
  if ((char *)f < (char *)g) reach_error();
  return 0;
}
