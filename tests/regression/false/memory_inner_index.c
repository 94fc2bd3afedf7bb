// property: memsafety
// The inner index is out of range, although the table has that many elements.
unsigned __VERIFIER_nondet_uint(void);
int t[4][8];
int main(void) {
  unsigned k = __VERIFIER_nondet_uint();
  t[0][k & 15] = 1;
  return 0;
}
