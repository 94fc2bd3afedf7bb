static unsigned nans@(int x, int y) { double big = 1e300, n; float f; unsigned s = 0, u = (unsigned)x * #{3000000u|4194304u|1u};
  unsigned long long w = (unsigned long long)(long long)y; _Bool b; struct { _Bool b; } t; big *= big;
  n = #{x & 1|y & 1|1} ? big - big : x * 0.5; f = #{n|(float)n + y}; s = (n != n) + 2 * (n == n) + 4 * (n < 1) + 8 * !(n >= 1);
  s += 16 * (f != f) + 32 * (n > f) + 64 * (n != 2.5); if (n) s += 128; b = n; s += b * 256u; if (!(n == y)) s += 512;
  while (n != n) { n = y; s += 1024; } f = u; observe((unsigned long long)f); n = u; observe((unsigned long long)(n / 2));
  f = w; observe((unsigned long long)(f / 4)); n = w; observe((unsigned long long)(n / 4)); f = #{u * 0.5f|(float)w + u}; s += (f > 1e9f) * 16384u;
  b = #{x & 256|y * 256|(short)(x * 256)|w << 40|u & 0xff00u|x / 2.0|0.25f}; s += b * 2048u; t.b = x * 256; s += t.b * 4096u;
  b += #{y & 512|x * 512}; return s + (b == 1) * 8192u + (_Bool)(y & 768) * 3u; }
