// expected: where objects lie in memory
// The bits of an address are read as a floating-point number.
extern void reach_error(void);
char x;
union {
  char *pointer;
  double number;
} u;
int main(void) {
  u.pointer = &x;
  if (u.number > 1e-300) reach_error();
  return 0;
}
