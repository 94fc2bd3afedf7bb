// <math.h> and builtins that have exact models.
double fabs(double), floor(double), ceil(double), trunc(double), round(double), rint(double), sqrt(double), fmod(double, double), fmin(double, double), fmax(double, double), copysign(double, double), remainder(double, double); float sqrtf(float), floorf(float), fabsf(float); int abs(int); double modf(double, double *);
int main(void) {
  double v[] = {2.5, -2.5, 0.5, -0.5, 1e300, -0.0, 3.999, 7.25}; int i; double whole; volatile double inf = 1e308 * 10, nan = inf - inf;
  for (i = 0; i < 8; i++) { observe_double(floor(v[i])); observe_double(ceil(v[i])); observe_double(trunc(v[i])); observe_double(round(v[i])); observe_double(rint(v[i])); observe_double(fabs(v[i])); observe_double(fmod(v[i], 0.75)); observe_double(fmod(v[i], -2)); observe_double(remainder(v[i], 2)); observe_double(modf(v[i], &whole)); observe_double(whole); }
  observe_double(sqrt(2)); observe_double(sqrtf(2)); observe_double(fmin(1, nan)); observe_double(fmax(nan, 3)); observe_double(copysign(3, -0.0)); observe(abs(-5)); observe(__builtin_isnan(nan)); observe(__builtin_isinf(inf) != 0); observe(__builtin_isfinite(inf)); observe_double(floorf(-1.5f)); observe_double(fabsf(-1)); observe(__builtin_signbit(-1.0) != 0); observe(sqrt(-1) != sqrt(-1)); observe(__builtin_isnan(fmod(1, 0)));
  return 0;
}
