// expected: incomplete type
struct u; struct u *p; struct u **q = &p;
int main(void) { return &p[0] == *q; }
