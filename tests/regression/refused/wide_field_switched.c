// expected: bit-field wider than int
// gcc converts the label to 33 bits.
extern void reach_error(void);
struct { unsigned long long h : 33; } s = {-1};
int main(void) {
  switch (s.h) {
    case -1: reach_error();
  }
  return 0;
}
