// expected: side effect in the size
// It runs where the pointer is declared.
extern void reach_error(void);
int main(void) {
  int n = 2, b[20];
  int(*p)[n++] = 0;
  if (n == 3) reach_error();
  return 0;
}
