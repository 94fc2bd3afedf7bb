// expected: attribute constructor
extern void reach_error(void);
int g;
__attribute__ /* c */ ((constructor)) void f(void) { g = 1; }
int main(void) { if (g) reach_error(); return 0; }
