// expected: where objects lie in memory
// The number of an address is read from the other member.
extern void reach_error(void);
union both {
  char *pointer;
  unsigned long number;
};
int main(void) {
  char c;
  union both b;
  b.pointer = &c;
  if (b.number & 1) reach_error();
  return 0;
}
