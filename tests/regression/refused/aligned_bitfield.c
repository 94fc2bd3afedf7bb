// expected: an aligned bit-field
// Of gcc it starts at a multiple of 8 bytes, of clang it does not.
extern void reach_error(void);
typedef int wide __attribute__((aligned(8)));
struct s {
  char c;
  wide x : 5;
};
int main(void) {
  if (sizeof(struct s) == 16) reach_error();
  return 0;
}
