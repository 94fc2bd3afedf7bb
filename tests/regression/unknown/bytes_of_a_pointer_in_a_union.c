// expected: where objects lie in memory
// The bytes of a pointer in a union are read through a pointer to its bytes.
extern void reach_error(void);
union u { union u *next; unsigned char b[8]; } pool[3];
int main(void) {
  for (int i = 0; i < 3; i++) pool[i].next = &pool[i];
  unsigned char *q = pool[1].b;
  if (q[0] & 1) reach_error();
  return 0;
}
