// property: memsafety
// The first bytes differ, but the last ones are compared, too.
extern int memcmp(const void *, const void *, __SIZE_TYPE__);
char a[4];
int main(void) {
  char b[4] = {1};
  return memcmp(a, b, 5) * 0;
}
