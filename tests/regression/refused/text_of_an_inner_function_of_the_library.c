// property: memsafety
// expected: memory safety of __printf_chk
int __printf_chk(int, const char *, ...);

int main(void) {
  char a[3] = {'a', 'b', 'c'};
  __printf_chk(1, "%s", a);
  return 0;
}
