// Compound assignment computes in the common type, then truncates.
int main(void) {
  unsigned char c = 250; signed char sc = 100; short s = 30000; int i = 7; unsigned u = 3; float f = 1.5f; long long ll = 5; _Bool b = 1;
  c += 10; observe(c); sc += 100; observe(sc); s *= 3; observe(s); i /= 2u; observe(i); i = -7; i /= 2; observe(i); i = -7; i %= 3; observe(i);
  i = -7; i /= 2u; observe(i); c -= 300; observe(c); c *= 2.5; observe(c); i = 10; i *= f; observe(i); i += 1.9; observe(i); c <<= 3; observe(c);
  c >>= 1; observe(c); u -= 5; observe(u); sc ^= 0xff; observe(sc); ll += u; observe(ll); i = 3; i += ll; observe(i); b += 1; observe(b); b -= 1; observe(b);
  b -= 1; observe(b); c = 255; c++; observe(c); sc = 127; ++sc; observe(sc); sc = -128; observe(sc--); observe(sc); observe(c = 300); observe((s = 70000) + 1);
  i = 5; observe(i += c += 250); observe(c); f += 1; observe((int)(f * 4)); f++; observe((int)(f * 4));
  return 0;
}
