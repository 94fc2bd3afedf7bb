// expected: the pointers in external variable
// property: memsafety
extern int *p;
int main(void) { return *p; }
