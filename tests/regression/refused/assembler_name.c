// expected: a with the assembler name of b
void reach_error(void);
int b = 3;
extern int a __asm__("b");
extern int scanf(const char *, ...) __asm__("" "__isoc99_scanf");

int main(void) {
  a = 4;
  if (b != 4) reach_error();
  return 0;
}
