// A pointer leaves the array inside a record for which it was made, and changes what is behind it.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct T { char b[4]; int n; } t;
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 7) return 0;
  char *p = &t.b[i];
  *p = 7;
  if (t.n != 0) reach_error();
  return 0;
}
