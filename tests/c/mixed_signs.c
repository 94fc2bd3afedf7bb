// Mixed signedness: the usual arithmetic conversions.
int main(void) {
  int i = -1; unsigned u = 1; long l = -1; unsigned long ul = 1; long long ll = -1; unsigned char c = 255; short s = -1;
  observe(i < u); observe(i < c); observe(s < u); observe(l < u); observe(ll < u); observe(ll < ul); observe(i + u); observe(i * u);
  observe(ll + u); observe((long long)i + u); observe(-1 > 1u); observe(i / u); observe(i % 7u); observe(i >> 1); observe((unsigned)i >> 1);
  observe(u - 2 < 0); observe((1 ? i : u) > 0); observe(l == (unsigned)-1); observe(i == 4294967295u); observe(ul - 2 > 0);
  return 0;
}
