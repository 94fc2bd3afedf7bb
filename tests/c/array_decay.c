// Arrays decay to pointers, except under sizeof and &.
int a[5] = {1, 2, 3}; int m[2][3] = {{1, 2}, {4}}; char s[] = "hey";
int get(int *p, int i) { return p[i]; } int first(int p[static 2]) { return *p + p[1]; } int row(int p[][3], int i) { return p[i][0] + sizeof(p) - sizeof(void *); }
void fill(int *p, int n) { while (n--) *p++ = n; }
int main(void) {
  int *p = a, (*q)[3] = m, b[4], i = 2; char *t = s + 1;
  observe(get(a, 1)); observe(get(a + 1, 1)); observe(first(&a[1])); observe(row(m, 1)); observe(sizeof a); observe(sizeof m[0]); observe(*p); observe(p[2]); observe(2[a]); observe(*(a + i));
  observe(q[1][0]); observe((*q)[1]); observe(*(*(m + 1) + 0)); q++; observe(**q); observe(t[1]); observe(*t++); observe(*t); observe(sizeof s); fill(b, 4); observe(b[0]); observe(b[3]); p = &b[1]; observe(p[-1]);
  *p++ = 40; *p-- += 5; observe(b[1]); observe(b[2]); observe(*p); observe(&a[3] == a + 3); observe((char *)&a[1] - (char *)a); m[i - 1][i] = 77; observe(m[1][2]); observe(&m[1][0] - &m[0][0]);
  fill(m[0], 3); observe(m[0][0]); observe(m[1][0]);
  return 0;
}
