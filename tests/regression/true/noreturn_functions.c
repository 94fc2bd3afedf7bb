extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void a(void);
extern void a(void) __attribute__((__noreturn__));
_Noreturn void b(int noreturn);
[[noreturn]] void c(void);
typedef void t(void) __attribute__((noreturn));
t d;
int main(void) {
  switch (__VERIFIER_nondet_int()) {
  case 1: a(); reach_error();
  case 2: b(1); reach_error();
  case 3: c(); reach_error();
  case 4: d(); reach_error();
  }
  return 0;
}
