//// memcpy prefix
struct S {char tag; int len; char data[8];};
int main(void) {
  struct S a={1,2,"abcdefg"},b={9,8,"xxxxxxx"}; memcpy(&b,&a,8); observe(b.tag);observe(b.len);observe(b.data[0]); memcpy(&b,&a,10); observe(b.data[0]);observe(b.data[1]);observe(b.data[2]);
  return 0;
}
//// memset offsetof
struct S {int a; short b; char c; int keep; long long l;};
int main(void) {
  struct S s={1,2,3,4,5}; memset(&s,0,__builtin_offsetof(struct S,keep)); observe(s.a);observe(s.b);observe(s.c);observe(s.keep);observe(s.l); s.b=300; memset(&s,1,5); observe(s.a);observe(s.b);observe(s.c); memset(&s,255,__builtin_offsetof(struct S,l)); observe(s.keep); observe(s.l); observe(s.b);
  return 0;
}
//// array prefix odd
int main(void) {
  int a[4]={0x01020304,0x05060708,9,10}, b[4]={-1,-1,-1,-1}; memcpy(b,a,6); observe(b[0]);observe(b[1]);observe(b[2]); short s[3]={1,2,3}; memset(s,7,3); observe(s[0]);observe(s[1]);observe(s[2]); memcpy(a,b,0); observe(a[0]);
  return 0;
}
//// array of records and a part
struct R {short a; char b; int c;};
int main(void) {
  struct R r[3]={{1,2,3},{4,5,6},{7,8,9}}, q[3]; memset(q,0,sizeof q); memcpy(q,r,sizeof(struct R)+4); for(int i=0;i<3;i++){observe(q[i].a);observe(q[i].b);observe(q[i].c);} memcpy(q,r,sizeof(struct R)*2+2); for(int i=0;i<3;i++){observe(q[i].a);observe(q[i].b);observe(q[i].c);} memmove(r+1,r,sizeof(struct R)+4); for(int i=0;i<3;i++){observe(r[i].a);observe(r[i].b);observe(r[i].c);} memmove(r,r+1,sizeof(struct R)+2); for(int i=0;i<3;i++){observe(r[i].a);observe(r[i].b);observe(r[i].c);} return 0;}
//// bitfield prefix
struct B {unsigned a:5; unsigned b:3; unsigned c:8; int d;};
int main(void) {
  struct B x={1,2,3,4},y={31,7,255,-1}; memcpy(&y,&x,1); observe(y.a);observe(y.b);observe(y.c);observe(y.d); y=(struct B){31,7,255,-1}; memcpy(&y,&x,4); observe(y.a);observe(y.c);observe(y.d); memset(&y,0,1); observe(y.a); observe(y.c); memset(&y,0xAA,2); observe(y.a);observe(y.b);observe(y.c);observe(y.d);
  return 0;
}
//// nested record tail
struct I {int k; char n[3];}; struct O {struct I i; struct I j; int t;};
int main(void) {
  struct O a={{1,"ab"},{2,"cd"},3},b={{4,"ef"},{5,"gh"},6}; memcpy(&b,&a,sizeof(struct I)); observe(b.i.k);observe(b.i.n[0]);observe(b.j.k); memcpy(&b.j,&a.j,5); observe(b.j.k);observe(b.j.n[0]);observe(b.j.n[1]);observe(b.t); memcpy(&b,&a,__builtin_offsetof(struct O,t)); observe(b.j.n[1]); observe(b.t);
  return 0;
}
//// heap record prefix
struct S {char tag; int len; int v[2];};
int main(void) {
  struct S *p=malloc(sizeof *p), *q=calloc(1,sizeof *q); p->tag=5;p->len=6;p->v[0]=7;p->v[1]=8; memcpy(q,p,8); observe(q->tag);observe(q->len);observe(q->v[0]); memcpy(q,p,12); observe(q->v[0]);observe(q->v[1]); memset(p,0,sizeof(p->tag)); observe(p->tag); observe(p->len);
  return 0;
}
//// member start
struct S {int a,b,c,d;};
int main(void) {
  struct S s={1,2,3,4},t={5,6,7,8}; memcpy(&t.b,&s.b,8); observe(t.a);observe(t.b);observe(t.c);observe(t.d); memset(&s.b,0,sizeof s - __builtin_offsetof(struct S,b)); observe(s.a);observe(s.b);observe(s.d); memcpy((char*)&t+4,(char*)&s,4); observe(t.b);
  return 0;
}
//// float and bool
struct F {float f; _Bool b; double d;};
int main(void) {
  struct F x={1.5f,1,2.25},y={3,0,4}; memcpy(&y,&x,5); observe_double(y.f); observe(y.b); observe_double(y.d); memset(&x,0,4); observe_double(x.f); observe(x.b);
  return 0;
}
//// union prefix
union U {int i; char c[8]; double d;};
int main(void) {
  union U a,b; a.i=0x11223344; b.d=0; memcpy(&b,&a,2); observe(b.i); observe(b.c[1]); memset(&b,1,3); observe(b.i);
  return 0;
}
//// C size from buffer
int main(void) {
  unsigned char b[8]={3,9,9,9,9,9,9,9}; memset(b,0,b[0]); for(int i=0;i<8;i++)observe(b[i]); unsigned char c[8]={1,2,3,4,5,6,7,8}; int i=2; memset(c,c[i]+1,4); for(i=0;i<8;i++)observe(c[i]); unsigned char d[8]={4,0,0,0,0,0,0,0}; memcpy(d,c,d[0]); for(i=0;i<8;i++)observe(d[i]);
  return 0;
}
//// C size from struct field
struct P {int len; int v[6];};
int main(void) {
  struct P p={8,{1,2,3,4,5,6}}; memset(&p,0,p.len); observe(p.len);observe(p.v[0]);observe(p.v[1]); struct P q={8,{1,2,3,4,5,6}}, *r=&q; p.len=12; memcpy(&p,r,p.len); observe(p.len);observe(p.v[1]);observe(p.v[2]); memmove(q.v,q.v+1,q.v[3]*4); for(int i=0;i<6;i++)observe(q.v[i]);
  return 0;
}
//// C pointer from buffer
struct N {struct N *n; int v; int w;};
int main(void) {
  struct N a={0,1,2},b={0,3,4}; a.n=&b; b.n=&a; memcpy(&a,a.n,sizeof a); observe(a.v); observe(a.n==&a); struct N c={&b,5,6}; memset(c.n,0,sizeof(struct N)); observe(b.v); memmove(&c,c.n,sizeof c); observe(c.v);
  return 0;
}
//// long loops
int main(void) {
  unsigned char b[200]; for(int i=0;i<200;i++)b[i]=i; memset(b+1,b[5],b[150]); observe(b[0]);observe(b[5]);observe(b[150]);observe(b[151]); int v[100]; for(int i=0;i<100;i++)v[i]=i+70; memcpy(v,v+1,0); memmove(v+v[0]-70,v+1,v[0]*4); observe(v[0]);observe(v[69]);observe(v[70]);observe(v[71]);
  return 0;
}
//// calloc sizes
struct H {int n; int *d;};
int main(void) {
  struct H h={3,0}; h.d=calloc(h.n,sizeof(int)); for(int i=0;i<h.n;i++)observe(h.d[i]); h.d[h.n-1]=9; h.n=h.d[2]; observe(h.n);
  return 0;
}
//// memset return
int main(void) {
  char b[6]; char *e=(char*)memset(b,'x',5)+5; *e=0; observe(strlen(b)); observe(e-b); char c[6]; observe(strlen(memcpy(c,b,6))); observe(*(char*)memmove(c+1,c,3));
  return 0;
}
