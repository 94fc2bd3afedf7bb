// Short circuit, conditional and comma: which side effects happen.
int n; int t(int r) { n = n * 10 + 1; return r; } int u(int r) { n = n * 10 + 2; return r; }
int main(void) {
  int i = 0, j = 5, a[3] = {1, 2, 3}, *p = 0;
  observe(t(0) && u(1)); observe(n); n = 0; observe(t(1) && u(2)); observe(n); n = 0; observe(t(2) || u(1)); observe(n); n = 0; observe(t(0) || u(0)); observe(n); n = 0; observe(t(1) ? u(5) : t(6)); observe(n); n = 0;
  observe(i++ && j++); observe(i); observe(j); observe(i && j--); observe(j); observe((i++, j++, i + j)); observe(i > 0 || j++ > 0); observe(j); observe(p && *p); observe(i == 2 && (j = 9) && a[j - 8] == 2); observe(j);
  if (t(0) || (i = 0, u(1))) observe(i); n = 0; while (i < 3 && t(i) + 1) i++; observe(n); observe(i); n = 0; do { n++; } while (n < 5 && (i += 2) < 9); observe(n); observe(i); observe((i > 100 ? i++ : j++) + 1); observe(i); observe(j);
  for (i = 0, n = 0; n++, i < 3; i++) ; observe(n); observe(!(t(0) && u(1)) || u(0)); observe(n); a[i = 1] += 5; observe(a[1]); i = 0; observe(a[i++] + 1); observe(a[i++]--); observe(a[1]); observe(i ?: 7); observe(0 ?: t(7)); observe(a[++i - 1] = 4); observe(a[2]);
  return 0;
}
