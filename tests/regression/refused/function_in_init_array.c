// expected: attribute section
extern void reach_error(void);
int g;
void f(void) { g = 1; }
void (*p)(void) __attribute__((section(".init_array"), used)) = f;
int main(void) { if (g) reach_error(); return 0; }
