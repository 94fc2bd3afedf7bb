// expected: where objects lie in memory
// Records of another size show the bits of a pointer that was stored at a variable index.
extern void reach_error(void);
struct s { struct s *next; int x, y, z; } array[3];
struct o { void *q; int a, b; };
int main(void) {
  for (int i = 0; i < 3; i++) array[i].next = &array[i];
  struct o *t = (struct o *)array;
  if ((t[1].a & 1) && !t[1].q) reach_error();
  return 0;
}
