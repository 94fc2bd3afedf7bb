static unsigned tlv@(int x, int y) { unsigned char m[16]; unsigned at = 0, i, v = 0; memset(m, x, sizeof m);
    m[0] = 1; m[1] = 2; m[4] = #{2|3}; m[5] = 1; m[7] = 0;
  while (at + 2 <= sizeof m && m[at]) { unsigned char tag = m[at++], len = m[at++]; if (len > sizeof m - at)
    break; #{for (i = 0; i < len; i++) v = v << 4 ^ m[at + i];|i = len; while (i--)
    v += m[at + i] * (i + 1);} at += len; observe(tag); if (at > 10) break; }
  #{memmove(m + 2, m, 6);|memmove(m, m + 3, 5);|memcpy(m + 8, m, 8);} for (i = 0; i < 12; i++)
    v = v * 3 + m[i]; return v + y; }
