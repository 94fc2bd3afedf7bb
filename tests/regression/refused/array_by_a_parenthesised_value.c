// expected: array initialiser
struct s { int a[2]; } x;
int main(void) { int a[2] = (int[2]){1, 2}; return a[0]; }
