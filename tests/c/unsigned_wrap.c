// Unsigned arithmetic wraps; so does signed arithmetic under -fwrapv.
int main(void) {
  unsigned u = 4294967295u; unsigned long long q = 18446744073709551615ull; int i = 2147483647; long long l = 9223372036854775807ll; unsigned short s = 65535;
  observe(u + 1); observe(u * u); observe(u + 1 == 0); observe(0u - 1); observe(q + 2); observe(q * 3); observe(i + 1); observe(-i - 2); observe(l + 1); observe(i * 3);
  s++; observe(s); s--; observe(s); observe(-(-2147483647 - 1)); observe(u / 2 + 1); i += 10; observe(i); observe((unsigned)i % 10u);
  return 0;
}
