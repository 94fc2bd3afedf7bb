// expected: attribute constructor
#define ATTRIBUTE(x) __attribute__((x))
#define EARLY constructor(101)
extern void reach_error(void);
int g;
ATTRIBUTE(EARLY) void f(void) { g = 1; }
int main(void) { if (g) reach_error(); return 0; }
