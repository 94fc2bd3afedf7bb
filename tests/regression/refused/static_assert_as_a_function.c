// expected: static_assert is a keyword of C23
int main(void) {
  static_assert(sizeof(int) == 4, "x");
  return 0;
}
