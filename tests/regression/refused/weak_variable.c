// expected: weak declaration
// Its address is null unless another file defines it.
extern void reach_error(void);
extern int x __attribute__((weak));
int main(void) {
  if (&x == 0) reach_error();
  return 0;
}
