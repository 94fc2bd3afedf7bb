// A pointer leaves the array inside a record for which it was made, and changes what is behind it.
extern void reach_error(void);
struct T { char c; short s; int j; } t;
int main(void) {
  short *p = &t.s;
  p[1] = 7;
  if (t.j == 7) reach_error();
  return 0;
}
