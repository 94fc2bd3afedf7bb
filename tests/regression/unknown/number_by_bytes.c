// expected: where objects lie in memory
// A pointer is made of bytes.
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  char c, *p;
  unsigned char *bytes = (unsigned char *)&p;
  for (unsigned i = 0; i < sizeof p; i++) bytes[i] = __VERIFIER_nondet_uchar();
  unsigned char low = bytes[0];
  if (p == &c && (low & 1)) reach_error();
  return 0;
}
