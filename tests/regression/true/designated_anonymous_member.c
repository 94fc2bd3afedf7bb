// Designators of members of anonymous records, with an index, and ranges; the text of an item starts where it is written.
extern int printf(const char *text[], ...);
extern void reach_error(void);
struct A {
  int v[2];
  struct {
    short s;
    union {
      int i;
      unsigned char b[4];
    };
  };
};
int table[2][3] = {[1][2] = 4, [0] = {[0 /* ] */ ... 1] = 7}};
int main(void) {
  struct A a = {{1, 2}, {.s = 3, .i = 4}}, b = {.v[1] = 5, .i = 6, .s = 7}, c = {{1}, .b[2] = 3};
  if (a.s != 3 || a.i != 4 || b.v[0] || b.v[1] != 5 || b.i != 6 || b.s != 7)
    reach_error();
  if (c.i != 3 << 16 || c.s || table[1][2] != 4 || table[0][1] != 7 || table[0][2] || table[1][0])
    reach_error();
  return 0;
}
