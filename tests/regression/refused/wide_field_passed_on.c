// expected: bit-field wider than int
// What a comma, an assignment or a step leaves is still one of 33 bits.
extern void reach_error(void);
struct wide {
  unsigned long long h : 33;
} s;
int main(void) {
  s.h = -1;
  if (((0, s.h--) + 1) == 0) reach_error();
  return 0;
}
