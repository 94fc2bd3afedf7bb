// expected: whether memory is lost is not decided
// property: valid-memsafety
// The run stops for ever where the assumption does not hold, after it has lost memory.
extern void *malloc(unsigned long);
extern void __VERIFIER_assume(int);
int main(void) {
  int *p = malloc(4);
  p = 0;
  __VERIFIER_assume(p != 0);
  return 0;
}
