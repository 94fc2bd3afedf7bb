// A pointer leaves the array inside a record for which it was made, and changes what is behind it.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct B { int x; char c; }; struct T { struct B b[2]; int n; } t;
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 2) return 0;
  struct B *p = t.b;
  p[i].x = 7;
  if (t.n != 0) reach_error();
  return 0;
}
