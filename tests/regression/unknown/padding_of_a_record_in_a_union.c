// expected: padding of a record
// gcc with optimisation copies it, the others leave what was there.
void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct pair {
  char first;
  int second;
};
union word {
  struct pair s;
  unsigned all;
};

int main(void) {
  union word w;
  int one = __VERIFIER_nondet_int() ? 1 : 1;
  w.all = -1;
  w.s = (struct pair){one, 2};
  if (w.all != 0xffffff01)
    reach_error();
  return 0;
}
