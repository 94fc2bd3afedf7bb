// expected: where objects lie in memory
// A pointer is made of one byte, repeated.
extern void reach_error(void);
extern void *memset(void *, int, __SIZE_TYPE__);
char x;
int main(void) {
  char *p = &x;
  memset(&p, 16, sizeof p);
  if (p == &x) reach_error();
  return 0;
}
