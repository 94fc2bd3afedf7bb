// property: memsafety
// The block ends inside an element behind the object.
extern void *memset(void *, int, unsigned long);
struct pair { int a; long b; };
int main(void) { struct pair x; void *p = &x; memset(p, 0, sizeof x + 1); return 0; }
