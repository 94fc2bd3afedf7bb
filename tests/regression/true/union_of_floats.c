extern void reach_error(void);

union V{float f; float g;}; struct S{union V v; int c;}; struct S g; struct S*gp=&g;
int main(){ struct S l; l.v.f=1; l.c=3; *gp=l; struct S m=*gp; if(m.v.g!=1) reach_error(); return 0;}
