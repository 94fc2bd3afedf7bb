struct header@ { unsigned short kind; unsigned char len; #{unsigned|unsigned long} sum; };
static const unsigned char input@[] = {#{0x01, 0x02|0xff, 0x80}, 3, 'a', 'b', #{0xfe|0x7f}, 2, 0, 1, 9, 8, 7};
static int parse@(const unsigned char *p, unsigned n, struct header@ *h) { if (n < 3) return -1;
    h->kind = #{p[0] << 8 | p[1]|p[0] | p[1] << 8}; h->len = p[2]; h->sum = 0; 
  #{unsigned i; for (i = 0; i < h->len && 3 + i < n; i++)
    h->sum = h->sum * 17 + p[3 + i];|const unsigned char *q = p + 3; while (q < p + n && q - p < 3 + h->len)
    h->sum += *q++;} return 3 + h->len; }
static unsigned parser@(int x, int y) { struct header@ h = {0}, all[3]; unsigned at = (unsigned)x % 4u,
    n = 0, r = 0; unsigned char copy[sizeof input@]; memcpy(copy, input@, sizeof copy);
    copy[(unsigned)y % 5u] ^= #{0x80|1|x};
  memset(all, 0, sizeof all); while (n < 3) { int used = parse@(copy + at, sizeof copy - at, &h);
    if (used < 0 || at + used > sizeof copy) break; all[n++] = h; at += used; r = r * 31 + h.kind; }
  for (at = 0; at < n; at++) r = r * 13 + (unsigned)all[at].sum + all[at].len; return r; }
