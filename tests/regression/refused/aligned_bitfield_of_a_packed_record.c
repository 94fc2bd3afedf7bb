// expected: an aligned bit-field
extern void reach_error(void);
#pragma pack(push, 1)
struct s {
  int x : 12;
  __attribute__((aligned(16))) char y : 4;
};
#pragma pack(pop)
int main(void) {
  struct s s = {1, 2};
  if (((unsigned char *)&s)[2] == 2) reach_error();
  return 0;
}
