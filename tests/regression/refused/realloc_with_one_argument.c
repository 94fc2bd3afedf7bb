// expected: realloc with other arguments
extern void *realloc();
int main(void) { return realloc((void *)0) != 0; }
