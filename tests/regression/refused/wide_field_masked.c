// expected: bit-field wider than int
// gcc computes with 33 bits from here on.
extern void reach_error(void);
struct wide {
  unsigned long long h : 33;
} s;
int main(void) {
  s.h = -1;
  if ((s.h | 0) + 1 == 0) reach_error();
  return 0;
}
