struct pt@ { #A x; #B y; }; struct box@ { int n; struct pt@ at[#{3|4|5}]; short v[4]; struct pt@ *last; };
static struct box@ one@, two@;
static void fill@(struct box@ *b, int k) { int i; for (i = 0; i < #1; i++) { b->at[i].x = k + i; b->at[i].y = k * i; }
  for (i = 3; i >= 0; i--) b->v[i] = k - i; b->n = #1; b->last = &b->at[#1 - 1]; }
static unsigned cells@(int x, int y) { unsigned s = 1; int i;
  struct box@ loc, *b = x & 1 ? &one@ : y & 1 ? &two@ : &loc, *c; fill@(&one@, x); fill@(&two@, y); fill@(&loc, x ^ y);
  struct pt@ *p = &b->at[(unsigned)x % #1u], *e = b->at + #1; short *v = &b->v[(unsigned)y % 4u];
  p->y += 3; *v ^= 5; v = b->v + 3; v[-(int)((unsigned)x % 4u)] -= 2; #{v = &two@.v[1]; v[(x & 3) - 1]++;|b->n++;}
  #{memcpy(&one@.at[1], p, sizeof *p);|one@.at[0] = *p;|memmove(&b->at[1], b->at, 2 * sizeof *p);|*b->last = b->at[0];}
  for (p = b->at; p != e; p++) s = s * 31u + (unsigned)p->x + (unsigned)p->y * 7u;
  for (p = e; p > b->at;) { --p; s ^= (unsigned)p->x; p[0].x = p->y; }
  c = #{&one@|b == &one@ ? &two@ : &one@|&loc}; *c = *b; c->last->x++; s += (unsigned)(b->last - b->at) + (unsigned)c->n;
  observe(s); s = 0; for (i = 0; i < 4; i++) { s = s * 5u + (unsigned)one@.v[i] + (unsigned)two@.v[i] * 3u + (unsigned)loc.v[i];
    if (i < #1) s += (unsigned)one@.at[i].x * 11u + (unsigned)two@.at[i].y + (unsigned)loc.at[i].x; }
  return s; }
