// expected: bytes of a long double
union { long double d; char c[16]; } u;
int main(void) { u.d = 1.0L; return u.c[0]; }
