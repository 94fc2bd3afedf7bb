extern void reach_error(void);

struct S{char a; struct{int b; int c[3];} d;};
int main(){ if(__builtin_offsetof(struct S,d.c[1])!=12) reach_error(); return 0;}
