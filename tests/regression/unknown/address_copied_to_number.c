// expected: where objects lie in memory
// memcpy moves an address into an integer.
extern void reach_error(void);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
int main(void) {
  char c, *p = &c;
  unsigned long n;
  memcpy(&n, &p, sizeof p);
  if (n & 1) reach_error();
  return 0;
}
