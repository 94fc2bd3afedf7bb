// expected: attribute destructor
extern void reach_error(void);
void f(void) __attribute__((unused, destructor));
void f(void) { reach_error(); }
int main(void) { return 0; }
