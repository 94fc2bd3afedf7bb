#ifndef OBLIGATO_MATH_H
#define OBLIGATO_MATH_H
typedef float float_t;
typedef double double_t;
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_LN2 0.69314718055994530942
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define OBLIGATO_ONE(g) double g(double); float g##f(float); long double g##l(long double)
#define OBLIGATO_TWO(g) double g(double, double); float g##f(float, float); long double g##l(long double, long double)
OBLIGATO_ONE(acos); OBLIGATO_ONE(asin); OBLIGATO_ONE(atan); OBLIGATO_ONE(cos); OBLIGATO_ONE(sin); OBLIGATO_ONE(tan);
OBLIGATO_ONE(acosh); OBLIGATO_ONE(asinh); OBLIGATO_ONE(atanh); OBLIGATO_ONE(cosh); OBLIGATO_ONE(sinh); OBLIGATO_ONE(tanh);
OBLIGATO_ONE(exp); OBLIGATO_ONE(exp2); OBLIGATO_ONE(expm1); OBLIGATO_ONE(log); OBLIGATO_ONE(log10); OBLIGATO_ONE(log1p);
OBLIGATO_ONE(log2); OBLIGATO_ONE(logb); OBLIGATO_ONE(cbrt); OBLIGATO_ONE(fabs); OBLIGATO_ONE(sqrt); OBLIGATO_ONE(erf);
OBLIGATO_ONE(erfc); OBLIGATO_ONE(lgamma); OBLIGATO_ONE(tgamma); OBLIGATO_ONE(ceil); OBLIGATO_ONE(floor); OBLIGATO_ONE(trunc);
OBLIGATO_ONE(round); OBLIGATO_ONE(rint); OBLIGATO_ONE(nearbyint);
OBLIGATO_TWO(atan2); OBLIGATO_TWO(pow); OBLIGATO_TWO(hypot); OBLIGATO_TWO(fmod); OBLIGATO_TWO(remainder);
OBLIGATO_TWO(copysign); OBLIGATO_TWO(nextafter); OBLIGATO_TWO(fdim); OBLIGATO_TWO(fmax); OBLIGATO_TWO(fmin);
long lrint(double); long lrintf(float); long lrintl(long double);
long long llrint(double); long long llrintf(float); long long llrintl(long double);
long lround(double); long lroundf(float); long lroundl(long double);
long long llround(double); long long llroundf(float); long long llroundl(long double);
double fma(double, double, double); float fmaf(float, float, float); long double fmal(long double, long double, long double);
double ldexp(double, int); float ldexpf(float, int); long double ldexpl(long double, int);
double scalbn(double, int); float scalbnf(float, int); long double scalbnl(long double, int);
double frexp(double, int *); float frexpf(float, int *); long double frexpl(long double, int *);
double modf(double, double *); float modff(float, float *); long double modfl(long double, long double *);
int ilogb(double); int ilogbf(float); int ilogbl(long double);
double nan(const char *); float nanf(const char *); long double nanl(const char *);
#endif
