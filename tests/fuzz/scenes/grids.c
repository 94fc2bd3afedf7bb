static #{int|short|unsigned char} grid@[3][#{4|2}]; static void swap@(int **a, int **b) { int *t = *a;
    *a = *b; *b = t; }
static int row@(#1 (*r)[#2], int k) { (*r)[k & 1] += 3; return (*r)[1] + r[0][0]; }
static unsigned grids@(int x, int y) { int i, j, m[2][3] = {{1, 2, 3}, {#{x|4}, [2] = 6}}, (*p)[3] = m,
    *q = m[0], *s = &m[1][1]; unsigned h = 0; for (i = 0; i < 3; i++) for (j = 0; j < #2; j++)
    grid@[i][j] = x * i + j - y;
  swap@(&q, &s); *q += 10; s[x & 1] ^= 7; p++; (*p)[2] = #{x|(*(p - 1))[1]};
    h += row@(&grid@[(unsigned)y % 3u], x); h += row@(grid@ + 1, y); for (i = 0; i < 6; i++)
    h = h * 3 + m[i / 3][i % 3]; for (i = 0; i < 3; i++) h = h * 5 + grid@[i][i & 1];
    return h + (q - &m[0][0] > 2); }
