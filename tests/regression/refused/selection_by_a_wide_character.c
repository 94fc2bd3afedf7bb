// expected: wide character
typedef __WCHAR_TYPE__ wchar_t;
void reach_error(void);
wchar_t w;

int main(void) {
  if (_Generic(w + 1, int: 1, long: 2) != 2) reach_error();  // ILP32, gcc: 2, clang: 1
  return _Generic(L'a', int: 1, long: 2);
}
