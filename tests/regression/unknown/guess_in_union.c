// expected: where objects lie in memory
// What is found to be an address has been a number.
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
union both {
  char *pointer;
  unsigned long number;
};
int main(void) {
  char c;
  union both u;
  u.number = __VERIFIER_nondet_ulong();
  if (u.pointer == &c && (u.number & 1)) reach_error();
  return 0;
}
