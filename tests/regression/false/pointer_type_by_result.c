// A function is called as one with another result.
extern void reach_error(void);
struct ints { int a, b; };
struct shorts { short a, b; int c; };
struct ints x;
struct ints *where(void) { return &x; }
int main(void) {
  struct shorts *(*f)(void) = (struct shorts *(*)(void))where;
  f()->a = 1;
  if (x.a == 1) reach_error();
  return 0;
}
