// The wrong value comes back from the third call.
extern void abort(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
void reach_error(void) { abort(); }
int depth = 0;
unsigned char half(unsigned char x) {
  depth++;
  if (x < 2) return x;
  return half(x / 2);
}
int main(void) {
  unsigned char x = __VERIFIER_nondet_uchar();
  if (half(x) == 1 && depth == 3) reach_error();
  return 0;
}
