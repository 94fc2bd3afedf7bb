// property: memsafety
// The text has no end.
extern void *malloc(unsigned long);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uchar();
  if (n == 0)
    return 0;
  char *text = malloc(n), *p = text;
  while (*p)
    p++;
  return 0;
}
