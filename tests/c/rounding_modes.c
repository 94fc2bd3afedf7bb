// fesetround: the current mode rules arithmetic, conversions and rint.
int fesetround(int), fegetround(void); double rint(double), nearbyint(double), sqrt(double); long lrint(double);
int main(void) {
  int modes[] = {0, 0x400, 0x800, 0xc00}, i; volatile double x = 1.0, y = 3.0, h = 2.5, n = -2.5; volatile int big = 16777217; volatile double d = 0.1;
  for (i = 0; i < 4; i++) { observe(fesetround(modes[i])); observe(fegetround()); observe_double(x / y); observe_double(-x / y); observe_double(rint(h)); observe_double(nearbyint(n)); observe(lrint(h)); observe_double((float)big); observe_double((float)d); observe((int)h); observe_double(sqrt(y)); }
  fesetround(0); observe_double(x / y);
  return 0;
}
