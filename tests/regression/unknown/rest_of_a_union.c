// expected: padding of a record
// gcc 12 clears the rest, clang without optimisation leaves it as it was.
void reach_error(void);
extern int __VERIFIER_nondet_int(void);

union word {
  struct {
    char first;
  } s;
  unsigned all;
};

int main(void) {
  int five = __VERIFIER_nondet_int() ? 5 : 5;
  union word w = {.s = {five}};
  if (w.all != 5)
    reach_error();
  return 0;
}
