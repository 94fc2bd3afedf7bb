// expected: where objects lie in memory
// A compiler may keep equal string literals twice.
extern void reach_error(void);
int main(void) {
  if ((unsigned long)(const void *)("--" + 1) - (unsigned long)(const void *)("--") != 1)
    reach_error();
  return 0;
}
