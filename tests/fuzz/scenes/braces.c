struct braced_in@ { #A a; short b[2]; }; struct braced_out@ { int c; struct braced_in@ i[2]; struct { char p, q; } z; int t[3]; };
static struct braced_out@ g@ = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }; static int m@[3][2] = { {1}, 2, 3, {4} };
static unsigned braced_hash@(const struct braced_out@ *o) { unsigned h = (unsigned)o->c; int k; for (k = 0; k < 2; k++) h = h * 7u
    + (unsigned)o->i[k].a + (unsigned)o->i[k].b[0] * 3u + (unsigned)o->i[k].b[1] * 5u; for (k = 0; k < 3; k++) h = h * 11u + (unsigned)o->t[k];
  return h + (unsigned)o->z.p * 13u + (unsigned)o->z.q * 17u; }
static unsigned braces@(int x, int y) { struct braced_out@ l = { x, y, 1, 2, #{{ 3, 4 }|3, 4, 5|{ .b = { 4 } }}, #{{ 6 }|6, 7}, 8 };
  struct braced_in@ arr[] = { x, 1, 2, y, 3, #{4|} }; char s[2][4] = { "ab", 'c', 'd' #{, 0|} }; unsigned h = braced_hash@(&l) + braced_hash@(&g@) * 3u; int k;
  g@ = (struct braced_out@){ y, { x, 1, 2, #{{ 3 }|3} }, #{{ 5, 6 }|5, 6} }; h = h * 31u + braced_hash@(&g@); g@ = l;
  for (k = 0; k < 3; k++) h = h * 5u + (unsigned)m@[k][0] + (unsigned)m@[k][1] * 9u; m@[(unsigned)x % 3u][y & 1]++;
  for (k = 0; k < 4; k++) h = h * 3u + (unsigned)s[0][k] + (unsigned)s[1][k] * 2u; observe(sizeof arr / sizeof arr[0]);
  return h + (unsigned)arr[1].a + (unsigned)arr[(unsigned)y % 2u].b[1] * 7u; }
