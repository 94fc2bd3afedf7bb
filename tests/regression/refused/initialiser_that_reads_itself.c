// expected: an initialiser that reads its own variable
extern void reach_error(void);
struct p { int x, y; };
int main(void) {
  struct p p = {1, p.x + 1};
  if (p.y != 2) reach_error();
  return 0;
}
