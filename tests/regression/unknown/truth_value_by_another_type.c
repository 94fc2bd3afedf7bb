// expected: called by another type
// A number that is passed where a truth value is expected is not converted: compiled, it is 2 or 0.
extern void reach_error(void);
static int is_one(_Bool b) { return b == 1; }
static unsigned char two(void) { return 2; }
int main(void) {
  int (*f)(unsigned char) = (int (*)(unsigned char))is_one;
  _Bool (*g)(void) = (_Bool (*)(void))two;
  volatile unsigned char number = 2;
  if (!f(number) || g() != 1) reach_error();
  return 0;
}
