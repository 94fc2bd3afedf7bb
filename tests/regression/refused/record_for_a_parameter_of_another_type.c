// expected: an argument of type
struct a { int x; } a; struct b { int x; };
int f();
int main(void) { return f(a); }
int f(y) struct b y; { return y.x; }
