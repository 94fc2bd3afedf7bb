// expected: recursion
int f(int x) { return x == 0 ? 0 : f(x - 1); }
int main(void) { return f(3); }
