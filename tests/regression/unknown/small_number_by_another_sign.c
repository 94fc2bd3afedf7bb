// expected: called by another type
// clang takes the caller to have extended the number by its sign: the function returns -1.
void reach_error(void);

int f(unsigned char c) { return c; }

int main(void) {
  int (*g)(signed char) = (int (*)(signed char))f;
  if (g(-1) != 255)
    reach_error();
  return 0;
}
