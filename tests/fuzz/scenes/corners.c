union pair@ { struct { unsigned char lo, hi; short z; } p; unsigned w; struct { int a : 7; unsigned b : 12; } f; };
static int noted@; static int note@(int v) { noted@ = noted@ * 3 + v; return v & 1; }
static unsigned corners@(int x, int y) {
  union pair@ u = {.w = 0}, v; int t[3][4], i, j, n = 0; unsigned s = 0; _Bool flag = #{x|x & 4|y * 256|x / 2.0};
  for (i = 0; i < 3; i++) for (j = 0; j < 4; j++) t[i][j] = i * 7 + j * x;
  j = y & 3; t[#{x & 1|(unsigned)y % 3u}][j] ^= 5; for (i = 0; i < 12; i++) s = s * 3 + t[i / 4][i % 4];
  u.p.hi = x; u.p.z = y; u.p.lo += 3; v = u; v.f.b ^= u.p.hi; #{v.f.a = y;|v.w += 300;} s += u.w * 5u + v.p.z + v.p.hi * 9 + v.f.a;
  if (x > 2 || note@(y)) n += 2;
  if (y > 0 && note@(x)) n ^= 1;
  n += x > y || note@(n);
  n += (x && note@(3)) * 2;
  n += note@(1) ? y : note@(5);
  if ((unsigned char)(x * 64)) n += 10;
  n += !(char)(y * 128) + ((short)(x * 4096) ? 1 : 2) + flag * 100;
  while ((unsigned char)n) { n /= 2; s++; }
  int *z = calloc(4, sizeof *z); z[1] += x; s = s * 31 + z[1] + z[2] + z[(unsigned)y % 4u]; free(z);
  observe(s); observe(noted@); n += (flag = #{2|x & 6|256 * y}); n += (v.f.b = 5000 + x);
  return n + (u.p.lo = 300 + y); }
