// property: memsafety
int __VERIFIER_nondet_int(void);
struct s { int a, b; } x;
int main(void) {
  struct s *p = __VERIFIER_nondet_int() > 3 ? &x : 0;
  return p->b;
}
