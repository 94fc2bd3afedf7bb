// expected: pragma scalar_storage_order
extern void reach_error(void);
_Pragma("scalar_storage_order big-endian")
struct s { int x; };
int main(void) {
  union { struct s s; char c[4]; } u;
  u.s.x = 1;
  if (u.c[0] == 0) reach_error();
  return 0;
}
