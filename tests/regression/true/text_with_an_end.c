// property: memsafety
// The loop stays inside the text, since the text has an end.
extern void *malloc(unsigned long);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uchar();
  if (n == 0)
    return 0;
  char *text = malloc(n), *p = text;
  text[n - 1] = 0;
  while (*p)
    p++;
  return 0;
}
