// Parameters that are declared as functions.
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int f7(int g(int), int x) { return g(x) + (*g)(x) + (**g)(x); }
static int (*keep)(int);
static void set(int g(int)) { keep = g; int (*h)(int) = g; observe(h == keep); observe(g == twice || g == thrice); if (!g) keep = 0; g = thrice; observe(g(2) == 6); observe((g == thrice ? g : twice)(1) == 3); }
static int (*id(int g(int)))(int) { return g; }
struct s { int (*f)(int); };
static int viastruct(int g(int)) { struct s s = { g }; return s.f(7); }
static int pass(int g(int), int x) { return f7(g, x); }
static int addr(int g(int)) { int (**pp)(int) = &g; return (*pp)(5); }
int main(void) { observe(f7(twice, 4) == 24); observe(f7(&thrice, 1) == 9); set(twice); observe(keep(3) == 6); observe(id(thrice)(2) == 6); observe(viastruct(twice) == 14); observe(pass(thrice, 2) == 18); observe(addr(twice) == 10); return 0; }
