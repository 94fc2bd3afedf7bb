// expected: memory safety of alloca
// property: memsafety
extern void *alloca(__SIZE_TYPE__);
int main(void) { for (int i = 0; i < 2; i++) { int *p = alloca(4); *p = i; } return 0; }
