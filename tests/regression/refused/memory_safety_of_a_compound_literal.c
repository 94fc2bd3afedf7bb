// expected: memory safety of a compound literal
// property: memsafety
int *g;
static void f(void) { g = &(int){3}; }
int main(void) { f(); return *g; }
