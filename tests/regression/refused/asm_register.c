// expected: register of the machine
// It is not zero at the start, and no assignment changes it.
extern void reach_error(void);
register unsigned long top __asm__("rsp");
int main(void) {
  if (top != 0) reach_error();
  return 0;
}
