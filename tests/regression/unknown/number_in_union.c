// expected: where objects lie in memory
// A number is read as a pointer from the other member.
extern void reach_error(void);
union both {
  char *pointer;
  unsigned long number;
};
char x;
int main(void) {
  union both u;
  u.pointer = &x;
  u.number = 0x10000;
  if (u.pointer == &x) reach_error();
  return 0;
}
