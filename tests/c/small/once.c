//// compound with call
int x=1; int f(void){ x=10; return 5; }
int g(void){ return 7; }
int main(void) {
  x+=g(); observe(x); int y=1; y+=f(); observe(y); observe(x);
  return 0;
}
//// self address
struct P {struct P *p; int x; int a[2]; int *q;};
int main(void) {
  struct P p={&p,sizeof p,{3,4},p.a}; observe(p.p==&p); observe(p.q[1]); int *m=malloc(sizeof *m); *m=3; observe(*m);
  return 0;
}
//// assign chain narrowing
int main(void) {
  int i; char c; unsigned char u; short s; i=c=u=300; observe(i); observe(c); s=i=70000; observe(s); observe(i); unsigned b; struct{unsigned f:3;int g:3;} t; i=t.f=15; observe(i); i=t.g=7; observe(i); i=(t.f+=9); observe(i); i=t.g++; observe(i); i=++t.g; observe(i); i=--t.f; observe(i); float f; double d; d=f=0.1; observe_double(d); i=f=3.9f; observe(i); _Bool o; i=o=256; observe(i); i=(o+=5); observe(i); i=o--; observe(i); observe(o); i=--o; observe(i);
  return 0;
}
//// modf once
double modf(double, double*);
int main(void) {
  double a[3]={0,0,0}, *p=a; double x=3.75; double r=modf(x,p++); observe_double(r); observe(p-a); observe_double(a[0]); observe_double(a[1]); r=modf(-x,&x); observe_double(r); observe_double(x);
  return 0;
}
//// user defined exit through pointer
int c; void quick_exit(int k){ c=k; } void (*p)(int)=quick_exit; 
int main(void) {
  p(4); observe(c);
  return 0;
}
//// user memcpy
void *my(void){return 0;} 
int main(void) {
  int n=4; char a[8]="abcdefg",b[8]="xxxxxxx"; n=2; memcpy(b,a,n); observe(b[1]); observe(b[2]); memcpy(b,a,(n++,4)); observe(n); observe(b[3]); memset(b,'q',(n=3)); observe(n); observe(b[2]); observe(b[3]); static int sn=4; sn=1; memset(b,'z',sn); observe(b[0]); observe(b[1]); const int cn=2; memset(b,'y',cn); observe(b[1]); observe(b[2]);
  return 0;
}
//// the operand of a type trait is not evaluated, nor its value taken
int main(void) { int x = 0; if (__builtin_types_compatible_p(__typeof__(x), int)) observe(1); observe(!__builtin_types_compatible_p(__typeof__(x), int)); observe(__builtin_types_compatible_p(__typeof__(x++), int) && x == 0); (void)__builtin_types_compatible_p(__typeof__(x++), int); observe(x); return 0; }
