// expected: realloc with more or fewer than two arguments
extern void *realloc();
int main(void) { return realloc((void *)0) != 0; }
