// expected: threads are not supported
extern unsigned long pthread_self(void);
int main(void) { return pthread_self() == 0; }
