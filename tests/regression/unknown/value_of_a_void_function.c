// expected: which has none
// A function without a value is called for one: it was any number, which refuted what compiled runs fulfil.
extern void reach_error(void);
static void nothing(int x) { (void)x; }
int main(void) {
  int (*f)(int) = (int (*)(int))nothing;
  if (f(3) == 123456) reach_error();
  return 0;
}
