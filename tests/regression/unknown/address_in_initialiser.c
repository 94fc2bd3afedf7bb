// expected: where objects lie in memory
// The number of an address is known before the program starts.
extern void reach_error(void);
int x;
unsigned long n = (unsigned long)&x;
int main(void) {
  if (n & 1) reach_error();
  return 0;
}
