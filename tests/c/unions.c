// Unions and type punning.
union U { int i; unsigned char b[4]; float f; short s[2]; }; union V { double d; unsigned long long l; struct { unsigned lo, hi; } w; };
union W { unsigned u; float f; }; struct T { char tag; union { int i; char c; } v; }; union G { struct { unsigned a : 4, b : 4; } f; unsigned char c; };
union U g = {0x01020304};
int main(void) {
  union U u; union V v; union W w; struct T t = {1, {7}}; union G x; int i; unsigned n = 0x40490fdb; unsigned char *p = (unsigned char *)&n;
  observe(g.b[0]); observe(g.b[3]); observe(g.s[1]); u.i = -2; observe(u.b[1]); u.b[3] = 0; observe(u.i); u.f = 1.0f; observe(u.i); observe(u.s[1]);
  for (i = 0; i < 4; i++) u.b[i] = i * 64; observe(u.i); v.d = 2.5; observe(v.l); observe(v.w.hi); v.w.hi = 0x3ff00000; observe_double(v.d); v.l = 1; observe_double(v.d);
  w.f = -0.0f; observe(w.u); w.u = 0x7f800000; observe(w.f > 1e38f); observe(t.v.i); t.v.c = 'x'; observe(t.v.i); x.c = 0xa5; observe(x.f.a); observe(x.f.b); x.f.b = 1; observe(x.c);
  observe(p[0]); observe(p[3]); p[3] = 0xc0; observe_double(*(float *)&n); observe(*(short *)(p + 1)); { union U k = u; k.b[0]++; observe(k.i); observe(u.i); }
  return 0;
}
