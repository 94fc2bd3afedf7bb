// expected: where objects lie in memory
// memcpy moves an integer into a pointer.
extern void reach_error(void);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
char x;
int main(void) {
  char *p;
  unsigned long n = 0x10000;
  memcpy(&p, &n, sizeof p);
  if (p == &x) reach_error();
  return 0;
}
