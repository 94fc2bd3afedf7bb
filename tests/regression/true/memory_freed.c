// property: memsafety
// Freed once, not used afterwards; free of a null pointer does nothing.
void *malloc(unsigned);
void free(void *);
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = 0, c = __VERIFIER_nondet_int();
  if (c) { p = malloc(8); p[1] = c; }
  free(p);
  return 0;
}
