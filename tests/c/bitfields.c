// Bit-fields: promotion, truncation, neighbours.
struct B { unsigned a : 3; int b : 5; unsigned c : 7; _Bool d : 1; unsigned long long e : 33; signed char f : 4; unsigned : 2; unsigned g : 32; };
struct B g = {9, -17, 130, 2, 0x3ffffffffull, 8, 0xffffffffu};
void touch(struct B *p) { p->a += 3; p->b -= 7; p->f ^= 5; p->e++; p->d = 4; }
int main(void) {
  struct B x = {0}, *p = &x;
  observe(g.a); observe(g.b); observe(g.c); observe(g.d); observe(g.e); observe(g.f); observe(g.g);
  x.a = 7; x.b = -16; x.c = 127; observe(x.a + 1); observe(x.a - 8 < 0); observe(x.b); observe(x.g - 1 > 0); x.a++; observe(x.a); observe(x.b); observe(x.c);
  observe(x.a = 13); observe(x.b = 17); observe(x.b++); observe(x.b); observe(x.f = -9); x.d = 2; observe(x.d); observe(-x.a < 0); observe(~x.c);
  touch(p); observe(x.a); observe(x.b); observe(x.c); observe(x.d); observe(x.e); observe(x.f); observe(x.g); observe(sizeof(struct B));
  struct B y = x; y.a = 5; observe(x.a); observe(y.a); observe(y.b); touch(&g); observe(g.a); observe(g.e); x.c <<= 1; observe(x.c); x.c += 200; observe(x.c);
  return 0;
}
