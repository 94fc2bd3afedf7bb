// expected: an alignment about which compilers differ
extern void reach_error(void);
int main(void) {
  if (__alignof__(int __attribute__((aligned(8)))) == 4) reach_error();
  return 0;
}
