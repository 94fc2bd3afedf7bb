// expected: unary operator on double
int main(void) { double d = 1; return __imag__ d > 0; }
