// expected: __builtin_constant_p
// Compilers differ.
extern void reach_error(void);
const int x = 5;
int main(void) {
  if (!__builtin_constant_p(x)) reach_error();
  return 0;
}
