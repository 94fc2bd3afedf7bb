// expected: where objects lie in memory
// A compiler may keep equal string literals twice.
extern void reach_error(void);
int main(void) {
  const char *p = "ab", *q = "ab";
  if (p != q) reach_error();
  return 0;
}
