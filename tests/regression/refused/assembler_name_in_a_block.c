// expected: with the assembler name of
extern void reach_error(void);
int total;
int main(void) {
  extern int other __asm__("total");
  other = 5;
  if (total == 5) reach_error();
  return 0;
}
