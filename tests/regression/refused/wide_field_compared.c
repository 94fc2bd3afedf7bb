// expected: bit-field wider than int
// gcc converts -1 to 33 bits.
extern void reach_error(void);
struct wide {
  unsigned long long h : 33;
} s;
int main(void) {
  s.h = -1;
  if (s.h == -1) reach_error();
  return 0;
}
