// A compiler may keep equal string literals once or twice: what macros of old libraries ask about them may be so or not.
extern void reach_error(void);
int main(void) {
  unsigned long n = 4;
  if ((unsigned long)(const void *)("--" + 1) - (unsigned long)(const void *)("--") == 1)
    n = 2;
  if (!((unsigned long)("ab" + 1) + -((unsigned long)"ab") == 1ul))
    n = n + 1;
  if (n < 2 || n > 5)
    reach_error();
  return 0;
}
