// expected: where objects lie in memory
// Nothing tells what a number that was an address is used for.
extern void reach_error(void);
int x;
int main(void) {
  unsigned long n = (unsigned long)&x;
  if (n % 8 == 4) reach_error();
  return 0;
}
