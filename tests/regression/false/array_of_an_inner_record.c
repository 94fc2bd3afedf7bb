// property: memsafety
// An array at the end of a record that is not at the end of the record around it has the declared length.
extern int __VERIFIER_nondet_int(void);
struct in {
  char n[3];
};
struct rec {
  int first;
  struct in in;
  long last;
} s, t;
int main(void) {
  struct rec *p = &s;
  if (__VERIFIER_nondet_int())
    p = &t;
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k > 3)
    return 0;
  return p->in.n[k];
}
