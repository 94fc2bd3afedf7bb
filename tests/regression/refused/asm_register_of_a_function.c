// expected: register of the machine
extern void reach_error(void);
int main(void) {
  register int kept __asm__("ebx") = 5;
  if (kept != 5) reach_error();
  return 0;
}
