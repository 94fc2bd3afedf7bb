// expected: the size of the value of a bit-field
void reach_error(void);
struct S { unsigned long a : 3; } s;

int main(void) {
  if (sizeof(s.a += 1) != 1) reach_error();  // gcc: 1, clang: 8
  return 0;
}
