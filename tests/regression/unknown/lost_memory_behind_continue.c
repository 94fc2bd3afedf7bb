// property: valid-memsafety
// expected: run that does not end
// A round that ends by `continue` inside of the branch that leaves the loop: the run goes on for ever.
extern void *malloc(unsigned long);
extern void free(void *);

int main(void) {
  int found = 1, again = 1;
  void *p = malloc(4);
  p = 0;
  while (1) {
    if (found) {
      if (again)
        continue;
      break;
    }
    found = 1;
  }
  return 0;
}
