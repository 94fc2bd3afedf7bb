// expected: where objects lie in memory
// The second block may have the address of the first.
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
  int *p = malloc(4);
  free(p);
  int *q = malloc(4);
  if (p == q) reach_error();
  return 0;
}
