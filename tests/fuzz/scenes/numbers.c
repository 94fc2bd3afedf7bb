static int digits@(const char *s, int *out) { int v = 0, n = 0; #{if (*s == '-') s++;|}
    while (*s >= '0' && *s <= '9') { v = v * 10 + (*s++ - '0'); n++; } *out = v; return n; }
static unsigned numbers@(int x, int y) { static const char *const table[] = {"12", #{"7x"|"-305"|"0042"}, "",
    "99"}; int v = -1, n;
  char mine[12]; int i = 0, k = x < 0 ? -x : x; do { mine[i++] = '0' + k % 10; k /= 10; } while (k);
    mine[i] = 0;
  n = digits@(table[(unsigned)y % 4u], &v); observe(v); observe(n); n += digits@(mine, &v); observe(v);
    return v * 3 + n; }
