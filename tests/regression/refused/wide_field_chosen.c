// expected: bit-field wider than int
// gcc gives the other value 33 bits, too.
extern void reach_error(void);
struct wide {
  unsigned long long h : 33;
} s;
int main(void) {
  s.h = -1;
  if ((1 ? -1 : s.h) > 0) reach_error();
  return 0;
}
