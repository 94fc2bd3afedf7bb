// property: memsafety
// Every index of a table with two dimensions is in range.
unsigned __VERIFIER_nondet_uint(void);
int t[4][8];
int main(void) {
  unsigned k = __VERIFIER_nondet_uint();
  t[k & 3][k % 8] = 1;
  return 0;
}
