// property: valid-memsafety
// expected: whether memory is lost
// A function that is only declared ends the program; a block was lost before.
extern void *malloc(unsigned long);
extern void die(void) __attribute__((noreturn));

int main(void) {
  void *p = malloc(4);
  p = 0;
  die();
}
