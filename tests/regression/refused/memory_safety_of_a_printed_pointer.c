// expected: with a pointer
// property: memsafety
extern int printf(const char *, ...);
int main(void) { char b[2] = "x"; char *p = b; printf("%s", p); return 0; }
