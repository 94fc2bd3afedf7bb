// Bytes between the members of a static record are zero.
extern void reach_error(void);
struct T { int i; char c; int j; } t = {1, 2, 3};
int main(void) {
  char *p = &t.c;
  if (p[1] != 0) reach_error();
  return 0;
}
