// expected: order of evaluation
extern void reach_error(void);
int x = 1;
int f(void) { x = 10; return 5; }
int main(void) {
  x += f();
  if (x == 15) reach_error();
  return 0;
}
