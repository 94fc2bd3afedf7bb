// expected: type
int main(void) { _Float16 h = 1; return h > 0; }
