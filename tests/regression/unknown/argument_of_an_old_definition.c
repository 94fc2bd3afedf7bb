// expected: called by another type
// An old definition converts nothing: gcc passes the number where the function does not look for it.
// The parser converts it, so that was proved.
extern void reach_error(void);
static int whole(d) double d; { return (int)d; }
int main(void) {
  if (whole(3) != 3) reach_error();
  return 0;
}
