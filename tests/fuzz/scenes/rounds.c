static int advance@(int *p, int k) { *p += k & 1; return *p; }
static unsigned rounds@(int x, int y) { unsigned s = 0; int i, j, n = 4, *pn = &n, *pi = &i; static int kept@;
  for (i = 0; i < 5; i++) { s = s * 3u + (unsigned)i; if (i == (x & 3)) #{continue|break|i++|*pi += 1}; s += 7u; }
  for (i = 0; i < n; i++) { if (i == 1) #{*pn = y & 3|n--|*pn += y & 1}; s += (unsigned)n; }
  for (unsigned char c = #{250|252}; c < 254; c++) { static unsigned z@; z@ += c; s ^= z@;
    switch (c & 3) { case 1: continue; case 2: if (y > 5) break; s++; default: s *= 3u; } s += 2u; }
  for (i = 3; i >= 0; i--) for (j = 0; j != 3; ++j) { if (j == (x & 3)) #{break|continue}; int v[2] = { i, j };
    int *q = (int[]){ i * 2, x, j }; q[1] ^= v[j & 1]; s = s * 5u + (unsigned)q[(unsigned)y % 3u]; }
  for (i = 0; i < 3; i++) { struct { int m, k; } t = { i }; t.k += advance@(#{&i|&t.m|&kept@}, x); s += (unsigned)(t.m * 9 + t.k);
    if (s % 7u == 3u) { int w[i + 1]; w[i] = y; s ^= (unsigned)w[i]; } }
  for (i = 7; i; --i) s += (unsigned)(i << 1) ^ (unsigned)*pi; return s + (unsigned)kept@ * 13u + (unsigned)i; }
