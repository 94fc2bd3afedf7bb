// expected: designator into a record
// gcc drops the first value as a whole.
extern void reach_error(void);
struct pair {
  int a, b;
};
struct outer {
  struct pair p;
};
int main(void) {
  struct pair base = {1, 2};
  struct outer l = {.p = base, .p.b = 9};
  if (l.p.a == 0) reach_error();
  return 0;
}
