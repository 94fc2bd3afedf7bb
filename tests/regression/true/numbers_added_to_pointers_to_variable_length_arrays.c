/* Numbers are added to pointers to arrays of variable length, and such pointers are subtracted: by the length at the declaration. */
#include <assert.h>
static int sum(int n, int m, int a[n][m])
{
    int s = 0;
    int (*p)[m] = a;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) s += (*p)[j];
        p++;
    }
    return s;
}
int main(void)
{
    int n = 3, m = 2;
    int a[n][m];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) a[i][j] = 10 * i + j;
    int (*p)[m] = a, (*q)[m] = a;
    q += 2;
    assert(q - p == 2 && (*q)[1] == 21);
    --q;
    assert((*q)[0] == 10);
    q = q - 1;
    assert(q == p);
    int (*r)[m] = 1 + p;
    assert(r[0][1] == 11 && *(*(p + 1) + 1) == 11);
    m = 7;
    p++;
    assert(p == r);
    assert(sum(3, 2, a) == 63);
    return 0;
}
