"""Scenes of everyday C with random details: strings, lists, buffers, parsers, machines, tables, callbacks, numbers.

A scene is a text at top level and the name of a function of two numbers; ``@`` stands for the number of the program, ``#n``
in a template for one of its random details.  What a scene computes is defined for all inputs between -1000 and 1000.
"""

from __future__ import annotations

import random
import re

from everyday_records import INTEGERS
from everyday_records import scene as records

Scene = tuple[str, str]

TEMPLATES: tuple[str, ...] = (
    # strings
    """static unsigned length@(const char *s) { unsigned n = 0; while (*s++) n++; return n; }
static void reverse@(char *s) { unsigned i = 0, k = #{strlen|length@}(s); while (i + 1 < k) { char t = s[i]; s[i++] = s[--k]; s[k] = t; } }
static unsigned words@(int x, int y) {
  char buf[#{24|32|20}] = #{"ab cd"|"x"|""|{'q', 'r', 0}}; const char *from = x & 1 ? "hello" : #{"wo rl"|"a"|"zz top"};
  strcat(buf, from); #{reverse@(buf);|buf[0] ^= 32;|reverse@(buf + 1);} unsigned n = 0, in = 0; char *p;
  for (p = buf; *p; p++) { if (*p == ' ') in = 0; else if (!in) { in = 1; n++; } #{|if (*p >= 'a' && *p <= 'z') *p -= 32;|if (n > 2) break;} }
  #{strcpy(buf, from);|strncpy(buf, from, 3); buf[3] = 0;|} observe(strlen(buf)); observe(#{strcmp(buf, from) == 0|strncmp(buf, from, 2) == 0|strcmp(from, "hello") < 0});
  for (p = buf; *p; ++p) n = n * 31 + *p; return n + (unsigned)(p - buf) + y; }
""",
    """static int digits@(const char *s, int *out) { int v = 0, n = 0; #{if (*s == '-') s++;|} while (*s >= '0' && *s <= '9') { v = v * 10 + (*s++ - '0'); n++; } *out = v; return n; }
static unsigned numbers@(int x, int y) { static const char *const table[] = {"12", #{"7x"|"-305"|"0042"}, "", "99"}; int v = -1, n;
  char mine[12]; int i = 0, k = x < 0 ? -x : x; do { mine[i++] = '0' + k % 10; k /= 10; } while (k); mine[i] = 0;
  n = digits@(table[(unsigned)y % 4u], &v); observe(v); observe(n); n += digits@(mine, &v); observe(v); return v * 3 + n; }
""",
    # lists from malloc
    """struct node@ { #{int v; struct node@ *next;|struct node@ *next; short v;|char tag; struct node@ *next; int v;} };
static struct node@ *push@(struct node@ *l, int v) { struct node@ *n = malloc(sizeof #{*n|(struct node@)}); n->v = v; n->next = l; #{|} return n; }
static void append@(struct node@ **l, int v) { while (*l) l = &(*l)->next; *l = push@(0, v); }
static struct node@ *turned@(struct node@ *l) { struct node@ *r = 0; while (l) { struct node@ *n = l->next; l->next = r; r = l; l = n; } return r; }
static void drop@(struct node@ **l, int v) { while (*l) { if ((*l)->v == v) { struct node@ *d = *l; *l = d->next; free(d); } else l = &(*l)->next; } }
static unsigned list@(int x, int y) { struct node@ *l = 0, *n; unsigned h = 5; int i;
  for (i = 0; i < (x & 3) + #{1|2}; i++) #{l = push@(l, y & 15);|append@(&l, i * 3);|if (i & 1) append@(&l, i); else l = push@(l, x & 7);}
  #{l = turned@(l);|drop@(&l, 3);|append@(&l, 9);} #{drop@(&l, 0);|l = turned@(turned@(l));|}
  for (n = l; n; n = n->next) h = h * 31 + n->v; #{if (l && l->next) { *l = *l->next; observe(l->v); l->next = 0; }|observe(l ? l->v : -1);|}
  return h; }
""",
    """struct tree@ { struct tree@ *kids[2]; int key; unsigned char depth; };
static struct tree@ *insert@(struct tree@ *t, int key, int depth) { if (!t) { t = #{calloc(1, sizeof *t)|malloc(sizeof *t)}; #{t->kids[0] = t->kids[1] = 0;|*t = (struct tree@){.key = key};|} t->kids[0] = 0; t->kids[1] = 0; t->key = key; t->depth = depth; return t; }
  if (key != t->key) t->kids[key > t->key] = insert@(t->kids[key > t->key], key, depth + 1); return t; }
static int total@(const struct tree@ *t) { return t ? total@(t->kids[0]) * 2 + t->key + t->depth - total@(t->kids[1]) : 1; }
static unsigned tree@(int x, int y) { struct tree@ *root = 0; int i; for (i = 0; i < #{3|4|5}; i++) root = insert@(root, (x * (i + 1) + y) & 15, 0); return total@(root); }
""",
    # ring buffer
    """struct ring@ { #{unsigned char|int|short} slots[#{4|3|5}]; unsigned head, count; };
#{static|} struct ring@ queue@; enum { SIZE@ = sizeof queue@.slots / sizeof queue@.slots[0] };
static int put@(struct ring@ *r, int v) { if (r->count == SIZE@) return 0; r->slots[(r->head + r->count++) % SIZE@] = v; return 1; }
static int take@(struct ring@ *r, int *v) { if (!r->count) return -1; *v = r->slots[r->head]; r->head = (r->head + 1) % SIZE@; return --r->count, 1; }
static unsigned ring@(int x, int y) { struct ring@ mine = #{{{0}}|{.count = 0}|queue@}, *r = x & 1 ? &queue@ : &mine; int v = 0, i; unsigned h = 0;
  for (i = 0; i < 6; i++) { if ((y >> i) & 1) h += put@(r, x + i); else h = h * 7 + take@(r, &v) + v; } mine = *r; observe(mine.head + 10 * mine.count);
  #{queue@ = mine;|*r = queue@;|r->slots[mine.head] = 3;} return h + queue@.slots[#{0|1|2}]; }
""",
    # machines
    """enum state@ { IDLE@, #{RUN@ = 4|RUN@}, WAIT@, #{DONE@ = -1|DONE@} };
static enum state@ step@(enum state@ s, int c) { switch (s) { case IDLE@: return c & 1 ? RUN@ : IDLE@; case RUN@: if (c > 2) return WAIT@; #{/* falls through */|break;|return DONE@;}
  case WAIT@: return c == 0 ? DONE@ : c < 4 ? RUN@ : WAIT@; #{default: return DONE@;|case DONE@: return IDLE@;} } return IDLE@; }
static unsigned machine@(int x, int y) { enum state@ s = IDLE@; int i, seen = 0; for (i = 0; i < #{5|6}; i++) { s = step@(s, (x >> i) & 7); seen = seen * 5 + (int)s; if (s == DONE@ && y & 1) #{break|continue}; seen ^= i; } return seen; }
""",
    """static unsigned flow@(int x, int y) { int i, j, n = 0; unsigned char k = #{250|3};
  for (i = 0; i < 4; ++i) { for (j = i; ; j++) { if (j > 4) break; if ((j ^ x) & 1) continue; n += j; #{if (n > 12) goto out;|} } #{while (k++ < 253) n++;|do n--; while (k-- > 2);|n <<= 1;} }
out:  switch (y & 7) { case 0: case 3: n++; #{break;|} case 1: n += 2; default: n ^= 5; break; case 5: #{{ int z = n; n = z * 2; }|n = -n;} } 
  return n + k + (x > y ? x : y == 2 ? 7 : #{i|j}); }
""",
    # parsers over bytes
    """struct header@ { unsigned short kind; unsigned char len; #{unsigned|unsigned long} sum; };
static const unsigned char input@[] = {#{0x01, 0x02|0xff, 0x80}, 3, 'a', 'b', #{0xfe|0x7f}, 2, 0, 1, 9, 8, 7};
static int parse@(const unsigned char *p, unsigned n, struct header@ *h) { if (n < 3) return -1; h->kind = #{p[0] << 8 | p[1]|p[0] | p[1] << 8}; h->len = p[2]; h->sum = 0; 
  #{unsigned i; for (i = 0; i < h->len && 3 + i < n; i++) h->sum = h->sum * 17 + p[3 + i];|const unsigned char *q = p + 3; while (q < p + n && q - p < 3 + h->len) h->sum += *q++;} return 3 + h->len; }
static unsigned parser@(int x, int y) { struct header@ h = {0}, all[3]; unsigned at = (unsigned)x % 4u, n = 0, r = 0; unsigned char copy[sizeof input@]; memcpy(copy, input@, sizeof copy); copy[(unsigned)y % 5u] ^= #{0x80|1|x};
  memset(all, 0, sizeof all); while (n < 3) { int used = parse@(copy + at, sizeof copy - at, &h); if (used < 0 || at + used > sizeof copy) break; all[n++] = h; at += used; r = r * 31 + h.kind; }
  for (at = 0; at < n; at++) r = r * 13 + (unsigned)all[at].sum + all[at].len; return r; }
""",
    """static unsigned tlv@(int x, int y) { unsigned char m[16]; unsigned at = 0, i, v = 0; memset(m, x, sizeof m); m[0] = 1; m[1] = 2; m[4] = #{2|3}; m[5] = 1; m[7] = 0;
  while (at + 2 <= sizeof m && m[at]) { unsigned char tag = m[at++], len = m[at++]; if (len > sizeof m - at) break; #{for (i = 0; i < len; i++) v = v << 4 ^ m[at + i];|i = len; while (i--) v += m[at + i] * (i + 1);} at += len; observe(tag); if (at > 10) break; }
  #{memmove(m + 2, m, 6);|memmove(m, m + 3, 5);|memcpy(m + 8, m, 8);} for (i = 0; i < 12; i++) v = v * 3 + m[i]; return v + y; }
""",
    # callbacks and tables
    """typedef int (*op@)(int, int); static int add@(int a, int b) { return a + b; } static int sub@(int a, int b) { return a - b; } static int mul@(int a, int b) { return (a & 15) * (b & 15); }
struct entry@ { const char *name; op@ run; #{int priority : 4|signed char priority}; }; static #{const|} struct entry@ table@[] = {{"add", add@, 1}, {.run = sub@, .name = "sub", .priority = -2}, #{[2] = {"mul", mul@}|{"mul", mul@, 3}}};
static int fold@(const int *v, int n, int (*f)(int, int)) { int r = v[0], i; for (i = 1; i < n; i++) r = f(r, v[i]); return r; }
static op@ chosen@(int k) { return k & 1 ? add@ : table@[(unsigned)k % 3u].run; }
static unsigned calls@(int x, int y) { int v[] = {x, y, #{3|-4}, x & 7}; const struct entry@ *e; int r = 0; for (e = table@; e < table@ + sizeof table@ / sizeof *table@; e++) r = r * 3 + e->run(x, y) + e->priority + e->name[0];
  #{op@ ops[2] = {mul@, chosen@(y)}; r ^= ops[x & 1](r & 15, 3);|r += chosen@(x)(y, 2);} return r + fold@(v, 4, #{chosen@(x)|sub@}); }
""",
    """static void sort@(#{int|short|long} *v, int n, int (*less)(const void *, const void *)) { int i, j; for (i = 1; i < n; i++) for (j = i; j > 0 && less(&v[j], &v[j - 1]); j--) { long t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; } }
static int up@(const void *a, const void *b) { return *(const #1 *)a < *(const #1 *)b; } static int down@(const void *a, const void *b) { return up@(b, a); }
static unsigned sorted@(int x, int y) { #1 v[] = {x, 3, y, -5}; unsigned h = 0; int i; sort@(v, 4, x & 1 ? up@ : down@); for (i = 0; i < 4; i++) h = h * 31 + (unsigned)v[i]; return h; }
""",
    # static locals, recursion
    """static int count@(int d) { static int n = #{3|-1}; static #{unsigned char|short} calls; calls += #{100|7}; n += d; return n * 2 + calls; }
static int gcd@(int a, int b) { return b ? gcd@(b, a % b) : a; } static unsigned fib@(unsigned n) { return n < 2 ? n : fib@(n - 1) + fib@(n - 2); }
static unsigned statics@(int x, int y) { int i, r = 0; for (i = 0; i < 3; i++) r = r * 5 + count@(x & 3); #{r += gcd@(x < 0 ? -x : x, 12);|r += fib@(y & 7);} return r + count@(y); }
""",
    # bits and unions
    """struct flags@ { unsigned a : #{1|3}; int b : #{4|9}; unsigned : #{0|2}; unsigned c : 7; #{unsigned char d : 5|_Bool d : 1|short d : 11}; } ; union word@ { struct flags@ f; unsigned whole[2]; unsigned char bytes[8]; };
static unsigned bits@(int x, int y) { struct flags@ f = {#{1|x}, -3, y}, g; union word@ w; memset(&w, 0, sizeof w); f.a += x; f.b -= y; f.d = x; f.c ^= f.a; w.f = f; g = x & 1 ? f : w.f; g.b++; 
  observe(w.f.a + w.f.b * 3 + w.f.c); #{w.bytes[0] ^= 1;|w.whole[0] |= 2;} w.f.c = g.c + 1; observe(w.f.b); return g.a * 1000 + g.b * 10 + g.c + g.d * 7 + (f.b < 0) + (f.a > -1) + w.f.c; }
""",
    """union number@ { #{unsigned u|int u}; float f; unsigned char b[4]; unsigned short h[2]; };
static unsigned puns@(int x, int y) { union number@ n; n.u = x * 70001; observe(n.b[1]); n.h[#{0|1}] = y; observe((unsigned)n.u); n.f = (x & 63) * 0.25f; #{n.b[3] ^= 0x80;|n.b[2] &= 0x7f;} return n.u ^ n.b[0] ^ (n.f < 1.0f) ; }
""",
    # arrays of arrays, pointers to pointers
    """static #{int|short|unsigned char} grid@[3][#{4|2}]; static void swap@(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
static int row@(#1 (*r)[#2], int k) { (*r)[k & 1] += 3; return (*r)[1] + r[0][0]; }
static unsigned grids@(int x, int y) { int i, j, m[2][3] = {{1, 2, 3}, {#{x|4}, [2] = 6}}, (*p)[3] = m, *q = m[0], *s = &m[1][1]; unsigned h = 0; for (i = 0; i < 3; i++) for (j = 0; j < #2; j++) grid@[i][j] = x * i + j - y;
  swap@(&q, &s); *q += 10; s[x & 1] ^= 7; p++; (*p)[2] = #{x|(*(p - 1))[1]}; h += row@(&grid@[(unsigned)y % 3u], x); h += row@(grid@ + 1, y); for (i = 0; i < 6; i++) h = h * 3 + m[i / 3][i % 3]; for (i = 0; i < 3; i++) h = h * 5 + grid@[i][i & 1]; return h + (q - &m[0][0] > 2); }
""",
    # initialisers and literals
    """struct point@ { #{int|short|long} x, y; }; struct shape@ { struct point@ corner[#{2|3}]; const char *name; #{double|float} scale; struct { int lo; char hi; } range; };
static struct shape@ shapes@[] = {[1] = {.name = "b", .corner = {[1] = {5, 6}}, .range.hi = 'z'}, [0] = {{{1, 2}}, "aa", #{1.5|-2}, {3}}};
static struct point@ mid@(struct point@ a, struct point@ b) { return (struct point@){(a.x + b.x) / 2, .y = (a.y + b.y) / 2}; } static int norm@(const struct point@ *p) { return p->x * 3 - p->y; }
static unsigned shapes2@(int x, int y) { struct shape@ s = shapes@[x & 1], *t = &shapes@[y & 1]; struct point@ m = mid@(s.corner[0], (struct point@){x, y}), *p = &(struct point@){.y = x}; int v[5] = {1, [3] = x}, k = *#{(int[]){4, y}|&(int){y}};
  s.corner[1] = #{*p|m}; #{t->corner[0] = s.corner[1];|*t = s;|shapes@[0].corner[1] = mid@(t->corner[0], *p);} p->x = norm@(&m); return norm@(p) + norm@(&s.corner[1]) + t->corner[0].x * 7 + v[3] + v[4] + k + (int)(t->scale * 2) + t->name[0] + t->range.hi + s.range.lo; }
""",
    # numbers of all types
    """static #{unsigned char|signed char|short} narrow@(#{int|long|unsigned} v) { return v; } static #A wide@ = #{-1|200|70000};
static unsigned arithmetic@(int x, int y) { #A a = x; #B b = y * 77; #C c = narrow@(x * 300); a ^= b; b = a / (y | 1 ? 7 : 3); c += a % 9; wide@ = wide@ + c; a = -(a % 1000); unsigned s = (unsigned)x << (y & 15); int q = x >> #{2|5};
  #{a = x < 0u;|b = (short)x == x;|c = sizeof(x) > -1;} long long big = (long long)x * y * 100003; unsigned long long ub = (unsigned long long)big >> #{7|33}; s ^= (unsigned)ub; #{c = !a + ~b;|c = (x && y) || a > b;|c = x ? y : c, b;} q += c++ - --b; return s + q + (unsigned)a + (unsigned)b * 3 + (unsigned)c * 5 + (unsigned)wide@ + (unsigned)(big % 97) + (a < b) * 2 + (b < c); }
""",
    """static double half@(double d) { return d / 2; } static float third@ = 1.0f / 3;
static unsigned floats@(int x, int y) { double d = x * 0.5; float f = y; f = f * third@ + #{0.1|0.1f}; d += half@(f); int k = (int)d; #{if (d < f) k = -k;|while (d > 1) { d /= 2; k++; }|k += (d == (float)d);} observe(k); return (unsigned)(k + (int)(f * 8)) + (d != d) + (f >= 0); }
""",
    # wrong sizes of copies, arguments that change
    """struct msg@ { #{char tag|short tag}; #{int|long} len; char data[#{8|6}]; int keep; };
static unsigned messages@(int x, int y) { struct msg@ a = {'t', x, "data", 9}, b = {1, 2, {3}, y}, m[2]; unsigned h = 0, i; m[0] = a; m[1] = b;
  #{memcpy(&b, &a, __builtin_offsetof(struct msg@, keep));|memcpy(&b.data, a.data, a.data[1] & 3);|memset(&b, 0, __builtin_offsetof(struct msg@, data));|memcpy(&b, &a, sizeof a.tag);} #{memset(a.data, a.data[0] & 3, a.data[1] & 3);|memset(&m[0], 0, sizeof m[0]);|memmove(&m[1], &m[0], sizeof m[0]);|memcpy(m, &b, sizeof b);|memmove(m[0].data, m[0].data + 1, 4);}
  #{m[m[0].keep == 9] = b;|b = m[b.keep & 1];|a = *(x & 1 ? &m[0] : &b);} struct msg@ *all[] = {&a, &b, &m[0], &m[1]}; for (i = 0; i < 4; i++) { const struct msg@ *p = all[i]; unsigned k; h = h * 31 + p->tag + (unsigned)p->len * 3 + p->keep; for (k = 0; k < sizeof p->data; k++) h = h * 5 + p->data[k]; observe(h); }
  return h + (memcmp(a.data, b.data, 4) == 0); }
""",
)


def details(template: str, rng: random.Random) -> str:
    """The template with its random details: #{a|b} one of them, #1 the first such choice again, #A a random integer type."""
    chosen: list[str] = []
    out, at = [], 0
    for m in re.finditer(r"#\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|#(\d|[A-Z])", template):
        out.append(template[at:m.start()])
        at = m.end()
        if m[1] is not None:
            chosen.append(rng.choice(_options(m[1])))
            out.append(chosen[-1])
        else:
            out.append(f"#{m[2]}")
    text = "".join(out) + template[at:]
    for i, c in enumerate(chosen):
        text = text.replace(f"#{i + 1}", c)
    for letter in "ABC":
        text = text.replace(f"#{letter}", rng.choice(INTEGERS))
    return text


def _options(text: str) -> list[str]:
    """The parts between bars that are not inside brackets, strings or operators."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        c = text[i]
        if c in "\"'":
            i = text.index(c, i + 1)
        depth += c in "({["
        depth -= c in ")}]"
        if c == "|" and depth == 0 and text[i + 1:i + 2] not in ("=", "|") and text[i - 1:i] != "|" and text[i - 1:i] + text[i + 1:i + 2] != "  ":
            parts.append(text[start:i])
            start = i + 1
        i += 1
    return [*parts, text[start:]]


def scene(rng: random.Random) -> Scene:
    """A random scene."""
    if rng.random() < 0.55:
        return records(rng)
    text = details(rng.choice(TEMPLATES), rng)
    last = re.findall(r"static unsigned (\w+@)\(int x, int y\)", text)[-1]
    return text, last
