// expected: attribute noreturn of a function that returns one
typedef void (*ender)(void) __attribute__((noreturn));
extern ender pick(void) __attribute__((noreturn));
int main(void) { pick(); return 0; }
