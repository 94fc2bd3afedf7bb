// GNU ranges in initialisers.
struct s { int a[4]; struct { int x, y; } p[3]; };
int z[9] = { [1 ... 3] = 5, 6, [7] = 2 };
struct s q = { .a[1 ... 2] = 4, 9, .p[0 ... 1] = {1, 3}, 8 };
int two[9][3] = {[(1 + 1 + 1 + 1 + 1 + 1)... 7] = {5, [1 ... 2] = 6}, {1}};
const char *names[6] = { [0 ... 5] = "none", [2] = "two", [3 ... 3] = "three" };
static int f(void) { return 1; } static int g(void) { return 2; }
static int (*h[8])(void) = { [0 ... 7] = f, [4] = g };
char t[256] = { ['0' ... '9'] = 1, ['a' ... 'z'] = 2, ['A' ... 'Z'] = 2, ['_'] = 3 };
unsigned char opened[] = { [0 ... 4] = 7 };
int n = 3;
int main(void) {
  int a[6] = {[1 ... 3] = n + 2, 6};
  observe(a[0] == 0 && a[1] == 5 && a[2] == 5 && a[3] == 5 && a[4] == 6 && a[5] == 0);
  for (int i = 0; i < 9; i++) observe(z[i] == (i >= 1 && i <= 3 ? 5 : i == 4 ? 6 : i == 7 ? 2 : 0));
  observe(q.a[0] == 0 && q.a[1] == 4 && q.a[2] == 4 && q.a[3] == 9 && q.p[0].x == 1 && q.p[1].y == 3 && q.p[2].x == 8 && q.p[2].y == 0);
  observe(two[6][0] == 5 && two[6][2] == 6 && two[7][1] == 6 && two[8][0] == 1 && two[5][0] == 0 && two[8][1] == 0);
  observe(names[2][1] == 'w' && names[3][0] == 't' && names[5][0] == 'n');
  observe(h[0]() == 1 && h[4]() == 2 && h[7]() == 1);
  observe(t['5'] == 1 && t['q'] == 2 && t['Q'] == 2 && t['_'] == 3 && t[0] == 0 && t['{'] == 0 && sizeof opened == 5 && opened[4] == 7);
  return 0;
}
