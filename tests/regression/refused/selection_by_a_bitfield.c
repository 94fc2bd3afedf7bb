// expected: a generic selection by the type of a bit-field
void reach_error(void);
struct S { unsigned a : 3; } s;

int main(void) {
  if (_Generic(s.a, unsigned: 1, default: 2) != 2) reach_error();  // gcc: 2, clang: 1
  return 0;
}
