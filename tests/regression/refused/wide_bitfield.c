// expected: arithmetic on a bit-field wider than int
void reach_error(void);
struct S { unsigned long long e : 33; } s = {0x1ffffffffULL};

int main(void) {
  if (s.e != 0x1ffffffffULL) return 0;
  if (s.e + 1 != 0) reach_error();
  return 0;
}
