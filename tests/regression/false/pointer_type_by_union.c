// A pointer gets another type by way of a union.
extern void reach_error(void);
struct ints { int a, b; };
struct shorts { short a, b; int c; };
union {
  struct ints *p;
  struct shorts *q;
} u;
int main(void) {
  struct ints x = {0, 0};
  u.p = &x;
  u.q->a = 1;
  if (x.a == 1) reach_error();
  return 0;
}
