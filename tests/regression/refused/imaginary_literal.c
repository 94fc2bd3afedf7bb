// expected: is not supported
int main(void) { return 1.0i != 0; }
