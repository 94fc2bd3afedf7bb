// expected: is not supported
double fabs();
int main(void) { return fabs(1) > 0; }
