// expected: a cast to a union
extern void reach_error(void);
union number { int whole; unsigned char bytes[4]; };

int main(void) {
  int n = 258;
  if (((union number)n).bytes[0] != 2) reach_error();
  return 0;
}
