extern void reach_error(void);

struct A{int x; struct{int b:3;} in;}; struct B{int x; int b:3;};
int main(){ struct A a; struct B*p=(struct B*)&a; a.in.b=1; p->b=2; if(a.in.b!=2) reach_error(); return 0;}
