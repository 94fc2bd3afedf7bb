int f(void) { return 1; }
int main(void) { return _Generic(1, int: f)(); }
