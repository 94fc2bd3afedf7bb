// Pointers to arrays of variable length: parameters in all spellings, locals, sizes.
void *malloc(__SIZE_TYPE__); void free(void *);
int out[32], k;
static int total(int n, int m, int (*a)[m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += (i + 1) * (10 * j + 1) * a[i][j]; return s; }
static int f9(int n, int m, int a[n][m]) { n = 7; m = 9; return a[1][1] * 100 + a[0][2]; }
static int f10(int n, int a[][n + 1], int i) { return a[i][n]; }
static int f11(int n, int m, short a[n][m][2]) { return a[1][2][1]; }
static int f12(int n, int a[n]) { return a[n - 1]; }
static void set(int n, int m, int a[n][m], int v) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = v + i * m + j; }
static int sized(int n, int (*p)[n], int (*q)[2][n]) { n = 100; return sizeof(*p) + 1000 * sizeof **q + 100000 * sizeof(*q); }
typedef struct { short x, y, z; } point;
static int named(int n, int m) {
  typedef int row[n]; typedef row grid[m]; typedef char three[3];
  n = 90; m = 80;
  row a; grid g; row h[2]; row *p = g; three t[m / 40]; const row *q = h;
  for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) g[i][j] = 10 * i + j;
  for (int j = 0; j < 4; j++) a[j] = h[0][j] = h[1][j] = j;
  p = &p[1]; t[1][2] = 5;
  return (*p)[3] + p[1][2] * 100 + a[3] + q[1][2] + (int)(sizeof a + 1000 * sizeof g + 100000 * sizeof(row) + sizeof(row[2]) + sizeof t) + t[1][2];
}
static int spelled(int n, unsigned char m) {
  int s = (int)sizeof(int[n]); s = s * 3 + (int)sizeof(int[n][m]); s = s * 3 + (int)sizeof (unsigned long long [n + 1]);
  s = s * 3 + (int)sizeof(point[m]); s = s * 3 + (int)sizeof(char *[n]) + (int)sizeof(const short int[n][2][m]);
  s = s * 3 + (int)sizeof(struct { int z; char c; }[n]) + (int)sizeof(long[m]); n++; return s + (int)sizeof(int[n]);
}
static int square(int n) {
  int (*a)[n] = malloc(sizeof(int[n][n])), s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = i * j + 1;
  for (int i = 0; i < n; i++) s += a[i][n - 1 - i];
  free(a); return s;
}
int main(void) {
  int b[2][3] = {{1, 2, 3}, {4, 5, 6}}; short c[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  int n = 2, m = 3;
  out[k++] = total(2, 3, b); out[k++] = total(1, 2, (int (*)[2])b);
  out[k++] = f9(2, 3, b); out[k++] = f10(2, b, 1); out[k++] = f11(2, 3, c); out[k++] = f12(3, b[1]);
  int v[n][m]; set(n, m, v, 5); out[k++] = total(n, m, v); out[k++] = v[1][0] * 100 + v[0][2];
  int w[n][m][4]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < 4; l++) w[i][j][l] = 100 * i + 10 * j + l;
  out[k++] = w[1][2][3] + w[0][2][1] + (int)sizeof w + (int)sizeof w[0];
  int (*h)[n] = malloc(sizeof(*h) * 3); for (int i = 0; i < 3; i++) for (int j = 0; j < n; j++) h[i][j] = i * 10 + j;
  out[k++] = h[2][1] + h[1][n - 1] * 7; n = 50; out[k++] = h[2][1] + (int)sizeof *h;
  out[k++] = sized(4, 0, 0); out[k++] = named(4, 3); out[k++] = spelled(3, 5); out[k++] = square(3);
  free(h); for (int i = 0; i < k; i++) observe(out[i]);
  return 0;
}
