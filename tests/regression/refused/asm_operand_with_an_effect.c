// expected: inline assembly
// The operand is evaluated though there is no instruction.
extern void reach_error(void);
int calls, cell;
static int *next(void) {
  calls++;
  return &cell;
}
int main(void) {
  __asm__("" : "+r"(*next()));
  if (calls == 1) reach_error();
  return 0;
}
