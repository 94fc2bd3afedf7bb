// expected: a name with a dollar sign
int main(void) { goto break$1; break$1: return 0; }
