// expected: assembler code outside of functions
extern void reach_error(void);
int g;
void f(void) { g = 1; }
__asm__(".pushsection .init_array\n .long f\n .popsection");
int main(void) { if (g) reach_error(); return 0; }
