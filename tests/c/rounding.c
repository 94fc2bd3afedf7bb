// Rounding to nearest even, single and double.
int main(void) {
  float a = 0.1f, b = 0.2f, s = 0; double x = 0.1, y = 0.2, z = 1e308; int i; volatile float one = 1.0f;
  observe_double(a + b); observe_double(x + y); observe_double(a * b); observe_double(x * y); observe_double(x / 3); observe_double(a / 3); observe_double((double)a + b);
  for (i = 0; i < 10; i++) s += a; observe_double(s); observe_double(z * 10); observe_double(-z * 10); observe(z * 10 - z * 10 == 0); observe_double(1e-320 / 4);
  observe_double(16777216.0f + one); observe_double(16777216.0f + 2 * one); observe_double(9007199254740992.0 + 1); observe_double(x - y); observe_double(-x); observe_double(0.0 * -1);
  observe_double(1.0f / 3 * 3 == 1.0f); observe_double((x + y) + 0.3); observe_double(x + (y + 0.3)); x += a; observe_double(x); a *= 1.7; observe_double(a); a++; observe_double(a);
  return 0;
}
