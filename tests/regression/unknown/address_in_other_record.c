// expected: where objects lie in memory
// The number of an address is read as a member of another record.
extern void reach_error(void);
struct pointer {
  char *p;
};
struct number {
  unsigned long n;
};
int main(void) {
  char c;
  struct pointer a;
  a.p = &c;
  struct number *b = (struct number *)&a;
  if (b->n & 1) reach_error();
  return 0;
}
