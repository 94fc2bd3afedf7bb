// expected: where objects lie in memory
// The lowest byte of an address.
extern void reach_error(void);
int main(void) {
  char c, *p = &c;
  unsigned char *byte = (unsigned char *)&p;
  if (byte[0] & 1) reach_error();
  return 0;
}
