// property: memsafety
// data model: ILP32
// Two blocks that may be half of the memory each: as long as none has died, a run in which they do not fit needs more memory than there is.
extern void *malloc(unsigned int);
extern void free(void *);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n < 1 || n > 0x1fffffff)
    return 0;
  int *a = malloc(4 * n), *b = malloc(4 * n);
  a[n - 1] = 1;
  b[0] = 2;
  free(a);
  free(b);
  return 0;
}
