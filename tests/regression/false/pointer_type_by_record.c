// A pointer gets another type as a member of another record.
extern void reach_error(void);
struct ints { int a, b; };
struct shorts { short a, b; int c; };
struct one {
  struct ints *p;
};
struct other {
  struct shorts *p;
};
int main(void) {
  struct ints x = {0, 0};
  struct one y = {&x};
  ((struct other *)&y)->p->a = 1;
  if (x.a == 1) reach_error();
  return 0;
}
