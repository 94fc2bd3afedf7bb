static void sort@(#{int|short|long} *v, int n, int (*less)(const void *, const void *)) { int i, j;
    for (i = 1; i < n; i++) for (j = i; j > 0 && less(&v[j], &v[j - 1]); j--) { long t = v[j];
    v[j] = v[j - 1]; v[j - 1] = t; } }
static int up@(const void *a, const void *b) { return *(const #1 *)a < *(const #1 *)b; }
    static int down@(const void *a, const void *b) { return up@(b, a); }
static unsigned sorted@(int x, int y) { #1 v[] = {x, 3, y, -5}; unsigned h = 0; int i; sort@(v, 4,
    x & 1 ? up@ : down@); for (i = 0; i < 4; i++) h = h * 31 + (unsigned)v[i]; return h; }
