// expected: a name that is reserved for witnesses is not supported
extern void reach_error(void); extern int __obligato_mark(int, int);
int main(void) { if (__obligato_mark(0, 1)) reach_error(); return 0; }
