//// a long and an unsigned int, of the same width or not
long l = -1; unsigned u = 1; unsigned long ul = 3; long long ll = -2;
int main(void) { observe((l + u) > 0); observe(l < u); observe(l * u == -1); observe((ll + ul) > 0); observe(sizeof(l + u)); observe((1 ? l : u) > 0); observe(+l); l += u; observe(l); return 0; }
//// wide strings in memory
const __typeof__(*L"") *w = L"a\u20acb\u20ac1"; const unsigned short *h = u"x\u20ac\U0001F600"; const unsigned *d = U"\U0001F600z"; __typeof__(*L"") own[] = L"\u00e9\x7fff" L"f";
int main(void) { for (int i = 0; w[i]; i++) observe(w[i]); for (int i = 0; h[i]; i++) observe(h[i]); for (int i = 0; d[i]; i++) observe(d[i]); for (int i = 0; i < 4; i++) observe(own[i]); w++; observe(*w); return 0; }
//// constants that are no numbers, factors of zero
static double none = 0.0 / 0.0, most = 1.0 / 0.0, least = -1.0 / 0.0; static float small = -0.0f;
int main(void) { int x = 7; observe(none != none); observe(most > 1e308); observe(least < -1e308); observe_double(small); observe(x * 0); observe(0 * x + 5 * 3); x *= 0; observe(x); return 0; }
//// attributes of enumerations, pragmas as operators
enum __attribute__((packed)) colour { RED, GREEN = 200 }; typedef enum { ON = 1, OFF __attribute__((unused)) } power;
_Pragma("GCC diagnostic push") static int f(enum colour c, power p) { switch (c) { case RED: return p; case GREEN: return p + 10; } return -1; } _Pragma("GCC diagnostic pop")
int main(void) { enum colour c = GREEN; power p = OFF; observe(f(c, p)); observe(f(RED, ON)); observe(sizeof c); enum colour *q = &c; *q = RED; observe(f(c, p)); return 0; }
//// empty records as members, elements and values
struct none {}; struct some { int a; struct none n; char c; }; struct many { struct some s[2]; struct none last; };
static struct some f(struct some s) { s.a++; return s; }
int main(void) { struct some s = {1, {}, 'c'}, t; struct many m = {{{1}, {2}}}, *p = &m; t = f(s); observe(t.a + t.c); p->s[1] = t; observe(m.s[1].a); struct many k = *p; observe(k.s[1].c); struct none e = s.n, *q = &e; *q = t.n; observe(sizeof e); return 0; }
//// long arrays of records that are cleared
struct pair { char a; int b; };
static int sum(struct pair *p, int n) { int r = 0; for (int i = 0; i < n; i++) r += p[i].a + p[i].b * 2; return r; }
int main(void) { struct pair long_one[70] = {{1, 2}, [69] = {3, 4}}; observe(sum(long_one, 70)); long_one[50].b = 5; observe(sum(long_one, 70)); return 0; }
