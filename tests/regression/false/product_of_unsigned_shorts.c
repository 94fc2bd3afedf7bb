// property: no-overflow
// The promoted type is signed: 65535 * 65535 overflows.
extern unsigned short __VERIFIER_nondet_ushort(void);
int main(void) {
  unsigned short s = __VERIFIER_nondet_ushort();
  return s * s > 0;
}
