// expected: an object of type _Complex double
int main(void) { _Complex double z = 1.0; return __real__ z > 0; }
