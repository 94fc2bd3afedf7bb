// expected: a symbol of the linker
// It is where the first variable of the section is.
extern void reach_error(void);
int x __attribute__((section("mine"))) = 5;
extern int __start_mine;
int main(void) {
  __start_mine = 6;
  if (x == 6) reach_error();
  return 0;
}
