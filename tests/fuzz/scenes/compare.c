static unsigned compare@(int x, int y) { unsigned char a[8], b[8]; unsigned s = 0; int i, n = (int)((unsigned)x % 9u), d;
  for (i = 0; i < 8; i++) a[i] = b[i] = (unsigned char)(i * 3 % 4); b[(unsigned)y % 8u] ^= #{1|128|(x & 4)};
  for (i = 0; i < 9; i += #{1|2|3}) { d = memcmp(a, b, (__SIZE_TYPE__)i); s = s * 3u + (d < 0 ? 1u : d > 0 ? 2u : 0u); }
  s += 5u * (memcmp(a + n, b + n, 0) == 0) + 7u * (memcmp(a, b, n) != 0) + 11u * !memcmp(a + 4, b + 4, 4);
  a[7] = b[7] = 0; return s + 13u * (strncmp((char *)a + 1, (char *)b + 1, #{0|n % 4}) == 0) + 17u * !strcmp((char *)a + 4, (char *)b + 4); }
