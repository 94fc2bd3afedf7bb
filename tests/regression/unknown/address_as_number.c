// expected: where objects lie in memory
// Some layouts of memory put the character at an odd address.
extern void reach_error(void);
int main(void) {
  char c;
  if ((unsigned long)&c & 1) reach_error();
  return 0;
}
