// expected: an object of type
typedef float v4 __attribute__((vector_size(16)));
int main(void) { v4 v; return 0; }
