// expected: an argument that is missing
// What the function finds there was any number, which refuted what compiled runs fulfil.
extern void reach_error(void);
static int second(x, y) int x, y; { return x == 1 ? y : 0; }
int main(void) {
  if (second(1) == 123456) reach_error();
  return 0;
}
