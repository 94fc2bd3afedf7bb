// A register of the machine that is only declared (as headers do), and assembler code without instructions.
extern void reach_error(void);
register unsigned long top __asm__("rsp");
int main(void) {
  int x = 1, a[2] = {3, 4};
  __asm__("" : "+r"(x));
  __asm__ volatile("" : : "r"(a[1]) : "memory");
  if (x != 1 || a[1] != 4) reach_error();
  return 0;
}
