// expected: initialiser of a global that is not constant
extern int f(void);
static double d = 0.1f + (1 ? __builtin_nan("") : 0);
union { double d; long long l; } u = { 0.0 / 0.0 };
int main(void) { return u.l > 0; }
