//// union in struct through pointer
struct T { int kind; union { long long ll; struct { int a,b; } p; char c[8]; } v; };
void set(struct T *t,int k){ t->kind=k; if(k==0) t->v.ll=-1; else if(k==1){ t->v.p.a=5; t->v.p.b=6; } else strcpy(t->v.c,"hi"); }
int main(void) {
  struct T t[3]; for(int i=0;i<3;i++) { t[i].v.ll=0; set(&t[i],i); } observe(t[0].v.p.b); observe(t[1].v.ll); observe(t[2].v.c[1]); t[0]=t[1]; observe(t[0].v.p.a); struct T x=t[2]; observe(x.v.p.a);
  return 0;
}
//// arrays of records nested
struct I { short a[2]; char c; }; struct O { struct I i[2]; int n; };
struct O go[2]={{{{{1,2},'x'},{{3},'y'}},4},{.n=9,.i[1].a[1]=7}};
int sum(struct O o){ int s=o.n; for(int k=0;k<2;k++) s+=o.i[k].a[0]*10+o.i[k].a[1]+o.i[k].c; o.n=99; return s; }
struct O mk(int n){ struct O o={.n=n}; o.i[n&1].a[n&1]=n; return o; }
int main(void) {
  observe(sum(go[0])); observe(sum(go[1])); struct O m=mk(3); observe(m.i[1].a[1]); observe(mk(2).i[0].a[0]); go[1]=mk(1); observe(go[1].i[1].a[1]); observe(go[1].n); struct O *p=go; p++; p->i[0]=m.i[1]; observe(go[1].i[0].a[1]); (*p).i[1].c='q'; observe(p->i[1].c); observe(sizeof(struct O));
  return 0;
}
//// function pointers
typedef int (*op)(int,int); int add(int a,int b){return a+b;} int sub(int a,int b){return a-b;} int mul(int a,int b){return a*b;}
struct V { op f; int k; const struct V *next; }; op table[]={add,sub,mul};
const struct V v3={mul,3,0}, v2={sub,2,&v3}, v1={add,1,&v2};
int apply(op f,int a,int b){ return f(a,b); } op pick(int i){ return i?add:&sub; }
int twice(int (*f)(int), int x){ return f(f(x)); } int inc(int x){return x+1;}
int main(void) {
  for(int i=0;i<3;i++) observe(table[i](7,3)); int r=10; for(const struct V *p=&v1;p;p=p->next) r=p->f(r,p->k); observe(r); observe(apply(mul,4,5)); observe(pick(0)(1,2)); observe((*pick(1))(1,2)); observe(twice(inc,5)); op q=table[1]; observe(q==sub); struct V l={.f=q}; l.f=l.f==sub?mul:add; observe(l.f(3,3)); observe((r>5?add:sub)(1,1));
  return 0;
}
//// memmove overlap
int main(void) {
  char b[10]="abcdefghi"; memmove(b+2,b,5); observe(b[2]);observe(b[6]);observe(b[7]); memmove(b,b+3,6); observe(b[0]);observe(b[5]); int a[6]={1,2,3,4,5,6}; int n=3; memmove(a+1,a,n*sizeof *a); for(int i=0;i<6;i++)observe(a[i]); memmove(a,a+2,4*sizeof(int)); for(int i=0;i<6;i++)observe(a[i]); struct P{char c;int v;} p[4]={{1,2},{3,4},{5,6},{7,8}}; memmove(p+1,p,3*sizeof *p); for(int i=0;i<4;i++){observe(p[i].c);observe(p[i].v);} return 0;}
//// records in functions
struct V {int x,y;}; struct M {struct V r[2]; struct V *p;};
struct V add(struct V a,struct V b){ a.x+=b.x; a.y+=b.y; return a; } struct V neg(const struct V *p){ return (struct V){-p->x,-p->y}; }
struct M mk(struct V *p){ struct M m={{*p,add(*p,*p)},p}; m.p->x=100; return m; }
int dot(struct V a,struct V b){ return a.x*b.x+a.y*b.y; } void byref(struct V *a,struct V b){ a->x=b.y; b.x=0; *a=add(*a,b); }
struct V chain(struct V v,int n){ for(int i=0;i<n;i++) v=add(v,(struct V){i,1}); return v; }
int main(void) {
  struct V a={1,2},b={3,4}; observe(add(a,b).x); observe(dot(add(a,b),neg(&a))); struct M m=mk(&a); observe(m.r[0].x); observe(m.r[1].y); observe(a.x); byref(&b,b); observe(b.x); observe(b.y); a=chain(a,3); observe(a.x); observe(a.y); b=add(neg(&b),chain(b,2)); observe(b.x); observe(b.y); m.r[0]=m.r[1]=*m.p; observe(m.r[0].x); struct V arr[2]={a,{.y=b.x}}; observe(arr[0].y); observe(arr[1].y);
  return 0;
}
//// stack queue
#define N 4
struct Q {int b[N]; unsigned h,t;}; int put(struct Q *q,int v){ if(q->t-q->h==N) return 0; q->b[q->t++%N]=v; return 1; } int get(struct Q *q,int *v){ if(q->h==q->t) return 0; *v=q->b[q->h++%N]; return 1; }
int main(void) {
  struct Q q={0}; int v=-1; for(int i=0;i<6;i++) observe(put(&q,i*i)); while(get(&q,&v)) observe(v); q.h=q.t=~0u-1; put(&q,5); put(&q,6); put(&q,7); while(get(&q,&v)) observe(v); int st[5],*sp=st; *sp++=1; *sp++=2; *sp++=3; observe(*--sp); observe(sp[-1]); observe(sp-st); --*--sp; observe(*sp); *sp+++=0;
  return 0;
}
//// compound literals
struct P {int x,y;}; int sum(const struct P *p,int n){ int s=0; for(int i=0;i<n;i++) s+=p[i].x*p[i].y; return s; } int fst(int *a){ return a[0]+a[2]; }
struct P *gp=&(struct P){3,4}; int *ga=(int[]){7,8,9};
int main(void) {
  observe(sum((struct P[]){{1,2},{3,4}},2)); observe(fst((int[]){1,2,3})); observe(fst((int[3]){[2]=5})); observe(gp->y); observe(ga[1]); int i=2; struct P p=(struct P){i,i*2}; observe(p.y); observe((struct P){i,9}.y); p=(struct P){p.y,p.x}; observe(p.x); observe(p.y); struct P *q=&(struct P){p.x+1,0}; q->y=q->x; observe(q->y); for(int k=0;k<3;k++){ int *z=(int[2]){k}; z[1]+=k; observe(z[0]+z[1]); } observe(*(int[]){5}); observe(((char[]){"hey"})[1]); observe(sizeof (int[]){1,2,3});
  return 0;
}
//// packed
struct __attribute__((packed)) P {char a; int b; short c;}; struct Q {char a; int b;} __attribute__((packed,aligned(4))); 
#pragma pack(push,2)
struct R {char a; int b;};
#pragma pack(pop)
struct W {char a; int b __attribute__((packed));  struct P p; } ;
enum __attribute__((packed)) E8 {E1,E2};
int main(void) {
  observe(sizeof(struct P)); observe(sizeof(struct Q)); observe(sizeof(struct R)); observe(sizeof(struct W)); observe(sizeof(enum E8)); struct P p={1,2,3}; struct P q[2]={p,{4,5,6}}; unsigned char *c=(unsigned char*)q; observe(c[1]); observe(c[8]); observe(c[5]); memcpy(&q[1],&q[0],5); observe(q[1].b); observe(q[1].c); int *ip=&q[1].b; *ip=77; observe(q[1].b); struct R r={1,2}; observe(__builtin_offsetof(struct R,b)); union {struct R r; char b[6];} u; u.r=r; observe(u.b[2]); struct W w={1,2,{3,4,5}}; observe(w.p.b); observe(__builtin_offsetof(struct W,p));
  return 0;
}
//// bitfield punning
union U {unsigned v; struct {unsigned a:3,b:7,:2,c:20;} f; struct {int s:4; int t:28;} g; unsigned char by[4];};
struct M {unsigned char x:4; unsigned char y:4; short z:9; unsigned w:6;};
int main(void) {
  union U u; u.v=0xdeadbeef; observe(u.f.a); observe(u.f.b); observe(u.f.c); observe(u.g.s); observe(u.g.t); u.f.b=0; observe(u.v); u.g.s=-3; observe(u.v); u.by[2]=1; observe(u.f.c); struct M m={0}; m.x=17; m.y=~0; m.z=-256; m.w=63; observe(m.x); observe(m.y); observe(m.z); observe(m.w); observe(sizeof m); unsigned char *p=(unsigned char*)&m; observe(p[0]); observe(p[2]); memset(&m,0x5a,sizeof m); observe(m.x);observe(m.y);observe(m.z);observe(m.w); m.w++; m.z>>=1; observe(m.w); observe(m.z); struct M n=m; observe(n.z); observe(m.x<<m.y); observe(m.x-11<0);
  return 0;
}
//// union array index
union V {int a[3]; struct {int x,y,z;} s; unsigned char b[12];}; struct H {union V v[2]; int n;};
int main(void) {
  union V v={{1,2,3}}; for(int i=0;i<3;i++) v.a[i]*=i+1; observe(v.s.y); observe(v.s.z); v.b[4]=9; observe(v.a[1]); struct H h={{{{4,5,6}}},1}; h.v[h.n]=v; h.v[h.n].a[h.n]=h.n; observe(h.v[1].s.y); h.v[0]=h.v[h.v[1].a[0]]; observe(h.v[0].s.z); union V *p=&h.v[0]; *p=p[p->a[1]]; observe(p->a[2]); p->s.x=h.v[1].s.z; observe(h.v[0].a[0]);
  return 0;
}
//// aliasing struct assign
struct S {int a; struct T {int b,c;} t; }; 
int main(void) {
  struct S s[2]={{1,{2,3}},{4,{5,6}}}; struct T *p=&s[0].t,*q=&s[1].t; *p=*q; observe(s[0].t.b); s[1].t=*p; struct S *r=s; r[1]=*r; observe(s[1].a); observe(s[1].t.c); q->c=p->b+1; *r=r[1]; observe(s[0].t.c); int *ip=&p->c; *p=(struct T){*ip,p->b}; observe(s[0].t.b); observe(s[0].t.c); struct S *rr=r+1; *rr=*(struct S*)((char*)r); observe(s[1].t.b);
  return 0;
}
//// parts of one kind take turns in an array
struct In {int a; int b;}; struct P {struct In x; struct In y;}; struct O {struct P arr[4]; int n;} o;
int main(void) {
  for(int i=0;i<4;i++){struct In *p=i&1?&o.arr[i].y:&o.arr[i].x; p->b=7+i; p->a-=i; observe(p->b);}
  for(int i=0;i<4;i++){observe(o.arr[i].x.a);observe(o.arr[i].x.b);observe(o.arr[i].y.a);observe(o.arr[i].y.b);} observe(o.n);
  return 0;
}
//// bit-fields of one width take turns in an array
struct __attribute__((packed)) B {unsigned char f:3; unsigned char g:3; unsigned char h;}; struct Q {struct B x; struct B y;}; struct R {struct Q arr[3]; struct B z;} r;
int main(void) {
  for(int i=0;i<4;i++){struct B *p=i==3?&r.z:i&1?&r.arr[i].y:&r.arr[i].x; p->g=2+i; p->h=i; p->f--;}
  for(int i=0;i<3;i++){observe(r.arr[i].x.f);observe(r.arr[i].x.g);observe(r.arr[i].x.h);observe(r.arr[i].y.f);observe(r.arr[i].y.g);observe(r.arr[i].y.h);}
  observe(r.z.f);observe(r.z.g);observe(r.z.h);
  return 0;
}
