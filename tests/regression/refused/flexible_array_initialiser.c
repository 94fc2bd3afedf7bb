// expected: initialiser of an array without elements
void reach_error(void);
struct F { int n; short d[]; };
static struct F f = {2, {7, 8}};

int main(void) {
  if (f.d[1] != 8) reach_error();
  return 0;
}
