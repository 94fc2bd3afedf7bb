// expected: threads are not supported (pthread_create)
extern int pthread_create(unsigned long *, void *, void *(*)(void *), void *);
static void *work(void *p) { return p; }
int main(void) { unsigned long t; return pthread_create(&t, 0, work, 0); }
