// Shifts: the type is that of the promoted left operand.
int main(void) {
  unsigned char c = 0x80; int i = -8; unsigned u = 0x80000001u; long long ll = 1; unsigned long long ull = ~0ull; short s = -32768; int n = 3;
  observe(c << 1); observe(c << n); observe(i >> 1); observe(i >> 31); observe(u >> 31); observe(u << 1); observe(ll << 40); observe(ull >> 63);
  observe(1u << 31); observe(s >> 3); observe((unsigned short)s >> 3); observe(i << 2); observe(1 << 30 >> 30); observe(ull << 60);
  observe(c >> (unsigned char)4); observe(u >> (long long)4); n <<= 3; observe(n); i >>= 2; observe(i); u <<= 31; observe(u);
  return 0;
}
