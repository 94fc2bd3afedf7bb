// expected: an alignment about which compilers differ
extern void reach_error(void);
int main(void) {
  if (__alignof__(main) == 4) reach_error();
  return 0;
}
