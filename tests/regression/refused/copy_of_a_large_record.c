// expected: copy of a large aggregate
struct large { char a[5000]; int b; } x, y;
struct large *p = &x;
int main(void) { *p = y; return p->b; }
