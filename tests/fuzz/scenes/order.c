static int ordered@(const char *a, const char *b) { int c = strcmp(a, b); return c < 0 ? -1 : c > 0; }
static unsigned order@(int x, int y) {
  static const char *const names[] = {"b", "a\x80", "\xe9t\xe9", "ab", "", #{"a"|"b\xff"}}; char one[4] = "ab", two[4] = {'a', (char)x};
  int i, j, r = 0; for (i = 0; i < 6; i++) for (j = 0; j < i; j++) r = r * 3 + ordered@(names[i], names[j]);
  char tail[8] = #{"xy"|""|{'z'}}; observe(tail[1] + tail[5] * 3 + tail[7] * 5); observe(r); i = memcmp(one, two, 3); observe((i > 0) - (i < 0)); j = strncmp(names[(unsigned)y % 6u], one, 2);
  #{one[1] += y;|two[0]++;|} i = memcmp(two, one, #{2|1|(unsigned)y % 4u}); return (i > 0) * 2 + (i < 0) + (j > 0) * 7 + r; }
