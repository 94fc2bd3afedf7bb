// A function is called as one with another parameter.
extern void reach_error(void);
struct ints { int a, b; };
struct shorts { short a, b; int c; };
void set(struct shorts *p) { p->a = 1; }
int main(void) {
  struct ints x = {0, 0};
  void (*f)(struct ints *) = (void (*)(struct ints *))set;
  f(&x);
  if (x.a == 1) reach_error();
  return 0;
}
