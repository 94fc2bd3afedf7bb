// property: memsafety
void *malloc(unsigned);
void free(void *);
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(4), *q = malloc(4);
  free(p);
  if (__VERIFIER_nondet_int() == 77) q = p;
  free(q);
  return 0;
}
