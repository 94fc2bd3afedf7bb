// expected: attribute constructor
extern void reach_error(void);
int g;
[ /* c */ [gnu::__constructor__]] void f(void) { g = 1; }
int main(void) { if (g) reach_error(); return 0; }
