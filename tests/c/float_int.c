// Conversions between floats and integers.
int main(void) {
  double d = -3.99, big = 4294967295.0; float f = 16777217; int i = 16777217; unsigned u = 4294967295u; long long l = 9007199254740993ll; unsigned char c; short s;
  observe((int)d); observe((unsigned)big); observe((long long)big); observe((int)f); observe_double(i); observe_double((float)i); observe_double(u); observe_double(l);
  observe_double((double)(float)0.1); observe((unsigned char)255.9); c = 3.7; observe(c); s = -7.9f; observe(s); observe_double(1 / 2); observe_double(1 / 2.0f); observe_double(7 / 2 * 2.0);
  observe_double((float)u); observe((unsigned long long)1.8e19); observe_double((unsigned long long)-1); observe_double(1.1f == 1.1); observe(1.5 + 1 == 2.5f); observe((_Bool)0.1f);
  observe((long long)-0.9); observe_double(-(double)0u); observe_double((float)1e40); observe_double(i * 1.0f); observe_double('a' / 2.);
  return 0;
}
