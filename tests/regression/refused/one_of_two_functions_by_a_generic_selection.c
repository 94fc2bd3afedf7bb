// expected: function designator
int f(void) { return 1; }
int g(void) { return 2; }
int main(void) { return _Generic(1, int: f, default: g)(); }
