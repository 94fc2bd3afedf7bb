// expected: where objects lie in memory
// The number of an address is read from a copy.
extern void reach_error(void);
union both {
  char *pointer;
  unsigned long number;
};
int main(void) {
  char c;
  union both u, v;
  u.pointer = &c;
  v = u;
  if (v.number & 1) reach_error();
  return 0;
}
