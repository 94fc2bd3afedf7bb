// expected: memory safety of unknown memory
// property: memsafety
extern int *give(void);
int main(void) { int *p = give(); return *p; }
