// expected: bit-field wider than int
// gcc gives the other value 33 bits, too.
extern void reach_error(void);
struct { unsigned long long h : 33; } s;
int main(void) {
  if ((s.h ?: -1) == 0x1ffffffffULL) reach_error();
  return 0;
}
