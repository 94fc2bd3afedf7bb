// expected: where objects lie in memory
// An allocator may use the address again.
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);
extern void free(void *);
int main(void) {
  char *p = malloc(1);
  free(p);
  char *q = malloc(1);
  if (p != q) reach_error();
  return 0;
}
