// NaN compares unequal to everything, itself included; zeros of both signs are equal.
int main(void) {
  double zero = 0.0, nan = zero / zero, inf = 1 / zero, minus = -0.0; float f = nan;
  observe(nan == nan); observe(nan != nan); observe(nan < 1); observe(nan > 1); observe(!(nan >= 1)); observe(f != f); observe(inf == inf); observe(inf > 1e308); observe(-inf < inf);
  observe(minus == zero); observe(1 / minus < 0); observe(nan ? 1 : 2); observe(!nan); observe(nan && 1); observe((_Bool)nan); observe(inf - inf != inf - inf); observe(!minus);
  if (nan <= nan) observe(1); else observe(2); observe(nan < nan || nan >= nan); observe(-nan != -nan);
  return 0;
}
