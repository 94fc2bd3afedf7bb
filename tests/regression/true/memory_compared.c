// property: memsafety
// All that is compared is there, and nothing may be compared behind the end.
extern int memcmp(const void *, const void *, __SIZE_TYPE__);
char a[4];
int main(void) {
  char b[4] = {1};
  return memcmp(a, b, 4) * memcmp(a + 4, b, 0);
}
