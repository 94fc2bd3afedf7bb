// The last cell is not written: what holds of all others is no invariant.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a[4], i;
  for (i = 0; i < 3; i++) a[i] = 7;
  a[3] = __VERIFIER_nondet_int();
  for (i = 0; i < 4; i++)
    if (a[i] != 7) reach_error();
  return 0;
}
