extern void reach_error(void);

union V{struct{int a,b;} x; struct{unsigned c,d;} y;}; struct S{union V v; int c;}; struct S g; struct S*gp=&g;
int main(){ struct S l; l.v.x.a=1; l.v.x.b=2; l.c=3; *gp=l; struct S m=*gp; if(m.v.y.d!=2||g.v.x.a!=1) reach_error(); return 0;}
