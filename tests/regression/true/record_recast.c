extern void reach_error(void);

struct A{int a,b;}; struct B{int c,d;};
int main(){ struct A x; struct B*p=(struct B*)&x; x.a=1; x.b=2; p->c=5; if(x.a!=5||x.b!=2) reach_error(); return 0;}
