// expected: inline assembly
extern void reach_error(void);
int main(void) {
  int x = 1;
  __asm__("" "incl %0" : "+r"(x));
  if (x == 2) reach_error();
  return 0;
}
