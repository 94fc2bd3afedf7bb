// memcpy and friends.
void *memcpy(void *, const void *, __SIZE_TYPE__); void *memset(void *, int, __SIZE_TYPE__); void *memmove(void *, const void *, __SIZE_TYPE__); __SIZE_TYPE__ strlen(const char *); int strcmp(const char *, const char *); int memcmp(const void *, const void *, __SIZE_TYPE__); char *strcpy(char *, const char *); char *strcat(char *, const char *);
struct S { int a; short b; char c[6]; };
int main(void) {
  char buf[20], *p; int a[5] = {1, 2, 3, 4, 5}, b[5]; struct S s = {1, 2, "hi"}, t; double d[2] = {1.5, 2.5}, e[2]; unsigned u; float f = 1.0f;
  observe(strlen("hello")); strcpy(buf, "abc"); strcat(buf, "def"); observe(strlen(buf)); observe(buf[4]); observe(strcmp(buf, "abcdef")); observe(strcmp("a", "b") < 0); observe(strcmp("b", "a") > 0); memcpy(b, a, sizeof a); observe(b[4]); memcpy(&t, &s, sizeof s); observe(t.b); observe(t.c[1]);
  memset(b, 0, sizeof b); observe(b[2]); memset(b, -1, 8); observe(b[1]); observe(b[2]); memmove(a + 1, a, 3 * sizeof(int)); observe(a[1]); observe(a[3]); observe(a[4]); memcpy(e, d, sizeof d); observe_double(e[1]); memcpy(&u, &f, 4); observe(u); observe(memcmp("abc", "abd", 2)); observe(memcmp("abc", "abd", 3) < 0); memset(&s, 0, sizeof s); observe(s.a + s.c[0]); p = buf; while (*p) p++; observe(p - buf);
  return 0;
}
