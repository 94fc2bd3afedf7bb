// expected: call of strlen through a pointer
extern unsigned strlen(const char *);
unsigned (*f)(const char *) = strlen;
int main(void) { return f("x"); }
