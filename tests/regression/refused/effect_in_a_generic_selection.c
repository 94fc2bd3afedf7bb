// expected: this expression is not supported: _Generic ( 1
extern void reach_error(void);
int g;
int main(void) {
  int x = _Generic(1, int: (g++, 5), default: 7);
  if (g != 1 || x != 5) reach_error();
  return 0;
}
