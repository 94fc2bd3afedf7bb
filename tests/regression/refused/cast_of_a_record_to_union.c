// expected: a cast to a union
extern void reach_error(void);
struct pair {
  int a, b;
};
union both {
  int i;
  struct pair p;
};
int main(void) {
  struct pair y = {1, 2};
  union both z = (union both)y;
  if (z.p.b == 2) reach_error();
  return 0;
}
