// The engine asks by all theories that occur: the program has integers only, its condition is about floats.
void reach_error(void);
unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned char i = 0, n = __VERIFIER_nondet_uchar();
  while ((float)i >= 0.0f && i < n) i++;
  if (i > n) reach_error();
  return 0;
}
