// expected: scanf into a string
extern int scanf(const char *, ...);
int main(void) { char b[10]; scanf("%s", b); return b[0]; }
