//// deref next
struct N { int v; struct N *next; char t[3]; };
int main(void) {
  struct N a={1,0,"a"},b={2,0,"b"},c={3,0,"c"}; struct N *p=&a; a.next=&b; b.next=&c; *p=*p->next; observe(a.v); observe(a.next==&c); observe(a.t[0]); *p=*p->next; observe(a.v); observe(a.next==0);
  return 0;
}
//// index self
struct E { int next; int k; short z[2]; } g[4]={{1,10},{3,20,{7,8}},{0,30},{2,40,{1,2}}};
int main(void) {
  struct E e=g[0]; int i; for(i=0;i<5;i++){ e=g[e.next]; observe(e.next); observe(e.k); observe(e.z[1]); } return 0;}
//// target index self
struct R { int i, j; };
int main(void) {
  struct R a[3]={{2,5},{1,6},{0,7}}, b={1,9}; a[a[0].i]=b; observe(a[0].i);observe(a[2].i);observe(a[2].j); a[a[0].i]=a[a[1].i]; for(int k=0;k<3;k++){observe(a[k].i);observe(a[k].j);} a[0]=a[a[0].i]; observe(a[0].i); observe(a[0].j);
  return 0;
}
//// zero self index
struct R { int i, j; };
struct R z;
int main(void) {
  struct R a[3]={{2,5},{1,6},{0,7}}; a[a[0].i]=z; a[a[1].i]=(struct R){0}; for(int k=0;k<3;k++){observe(a[k].i);observe(a[k].j);} a[0].i=1; a[a[0].i]=(struct R){a[0].i,a[a[0].i].j+1}; for(int k=0;k<3;k++){observe(a[k].i);observe(a[k].j);} return 0;}
//// in function
struct N { int v; struct N *n; int w; };
void adv(struct N *p){ *p = *p->n; }
void adv2(struct N **p){ **p = *(*p)->n; }
int main(void) {
  struct N a={1,0,11},b={2,0,22},c={3,0,33}; a.n=&b;b.n=&c;c.n=&a; adv(&a); observe(a.v); observe(a.w); struct N*q=&b; adv2(&q); observe(b.v); observe(b.w); observe(q==&b);
  return 0;
}
//// bitfields
struct B { unsigned i:2; unsigned k:5; int s:7; };
int main(void) {
  struct B a[4]={{1,2,-3},{2,4,-5},{3,6,-7},{0,8,-9}}; struct B e=a[0]; e=a[e.i]; observe(e.i);observe(e.k);observe(e.s); a[a[0].i]=a[3]; for(int k=0;k<4;k++){observe(a[k].i);observe(a[k].k);observe(a[k].s);} struct B*p=a; *(p+p->i)=p[p->i+1]; for(int k=0;k<4;k++){observe(a[k].i);observe(a[k].k);observe(a[k].s);} return 0;}
//// pointer in target
struct L { struct L *l,*r; int v; };
int main(void) {
  struct L a={0,0,1},b={0,0,2},c={0,0,3}; a.l=&b; a.r=&c; b.l=&c; b.r=&a; c.l=&a; c.r=&b; *a.l = *a.r; observe(b.v); observe(b.l==&a); *a.l->l = *a.r; observe(a.v); observe(a.l==&a); *a.l=*a.r; observe(a.v);
  return 0;
}
//// heap list
struct N { int v; struct N *next; };
int main(void) {
  struct N *h=0; for(int i=0;i<4;i++){ struct N *n=malloc(sizeof *n); n->v=i; n->next=h; h=n;} *h=*h->next; observe(h->v); *h->next=*h->next->next; observe(h->next->v); observe(h->next->next==0?1:h->next->next->v);
  return 0;
}
//// nested member
struct I { int k, idx; }; struct O { struct I a[3]; struct I x; int c; };
int main(void) {
  struct O o={{{1,2},{3,0},{5,1}},{7,1},2}; o.x=o.a[o.x.idx]; observe(o.x.k); observe(o.x.idx); o.a[o.a[0].idx]=o.a[1]; for(int i=0;i<3;i++){observe(o.a[i].k);observe(o.a[i].idx);} struct O *p=&o; p->x=p->a[p->x.idx]; observe(p->x.k); observe(p->x.idx);
  return 0;
}
//// assign value twice
struct P { int x,y; };
int n; struct P arr[4];
struct P *nx(void){ return &arr[n++]; }
int main(void) {
  struct P p={3,4}; int s=(*nx()=p).x; observe(s); observe(n); observe(arr[0].y); struct P *q=arr; p.x=8; s=(*q++=p).x; observe(s); observe(q-arr); struct P a,b; a=b=*nx()=p; observe(n); observe(a.x); observe(arr[1].x);
  return 0;
}
//// chain through self
struct N { struct N *n; int v; };
int main(void) {
  struct N a,b,c; a.n=&b;a.v=1;b.n=&c;b.v=2;c.n=&a;c.v=3; struct N t; t=*a.n=*b.n; observe(t.v); observe(t.n==&a); observe(b.v); observe(b.n==&a);
  return 0;
}
//// conditional records
struct P { int x; struct P *o; };
int main(void) {
  struct P a={1,0},b={2,0}; a.o=&b;b.o=&a; struct P *p=&a; *p = p->x ? *p->o : *p; observe(a.x); observe(a.o==&a); *p=(p->x>5)?a:*(p->o); observe(a.x); *p->o = (p->x==2? b : a); observe(a.x); observe(a.o==&a);
  return 0;
}
//// union in array
union U { int i; unsigned char c[4]; short s; };
int main(void) {
  union U u[3]; u[0].i=1; u[1].i=0x01020304; u[2].i=2; u[u[0].i]=u[u[0].i+1]; observe(u[1].i); u[u[0].i - 1]=u[2]; observe(u[0].c[0]); union U v=u[u[0].i]; observe(v.s); u[v.i]=u[v.i-1]; observe(u[2].i);
  return 0;
}
//// array in record by var index
struct M { int r[3]; int at; };
int main(void) {
  struct M m[3]={{{0,1,2},1},{{3,4,5},2},{{6,7,8},0}}; m[m[0].at].r[m[m[0].at].at]=50; observe(m[1].r[2]); m[0]=m[m[0].at]; for(int i=0;i<3;i++)observe(m[0].r[i]); m[m[0].at]=m[m[m[0].at].at]; for(int i=0;i<3;i++)observe(m[2].r[i]); observe(m[2].at);
  return 0;
}
//// returned record into itself
struct P { int x,y; struct P *q; };
struct P sw(struct P p){ struct P r={p.y,p.x,p.q}; return r; }
struct P get(struct P *p){ return *p->q; }
int main(void) {
  struct P a={1,2,0},b={3,4,0}; a.q=&b;b.q=&a; a=sw(a); observe(a.x); observe(a.y); *a.q=sw(*a.q); observe(b.x); a=get(&a); observe(a.x); observe(a.q==&a); *a.q=get(a.q); observe(a.x);
  return 0;
}
//// initialise from pointer chain
struct N { struct N *n; int v[2]; };
int main(void) {
  struct N a={0,{1,2}},b={&a,{3,4}}; struct N c=*b.n; observe(c.v[1]); struct N d[2]={b,*b.n}; observe(d[0].v[0]); observe(d[1].v[1]); struct N *p=d; struct N e={.n=p,.v={p->v[1],p->n->v[0]}}; observe(e.v[0]); observe(e.v[1]); *p=(struct N){p->n,{p->v[1],p->v[0]}}; observe(d[0].v[0]); observe(d[0].v[1]);
  return 0;
}
//// statement expr record
struct P { int x,y; };
int main(void) {
  struct P a[2]={{1,0},{5,6}}; a[a[0].x]=({ struct P t=a[1]; t.y++; t; }); observe(a[1].y); a[0]=({a[a[0].x];}); observe(a[0].x); observe(a[0].y);
  return 0;
}
//// swap through pointers
struct P { int x; short s; char c[5]; };
void swap(struct P *a, struct P *b){ struct P t=*a; *a=*b; *b=t; }
int main(void) {
  struct P v[3]={{1,2,"ab"},{3,4,"cd"},{5,6,"ef"}}; swap(&v[0],&v[2]); swap(v+1,v+1); for(int i=0;i<3;i++){observe(v[i].x);observe(v[i].s);observe(v[i].c[1]);} return 0;}
//// global record self index
struct G { int i; int d[2]; } g={1,{4,5}}, h[2]={{0,{6,7}},{1,{8,9}}};
int main(void) {
  g=h[g.i]; observe(g.i); observe(g.d[0]); h[g.i]=g; h[h[1].i]=h[h[0].i]; observe(h[1].i); observe(h[1].d[1]); g=h[g.i]; observe(g.d[1]);
  return 0;
}
//// 2d
struct C { int r,c; };
int main(void) {
  struct C m[2][2]={{{1,0},{0,1}},{{1,1},{0,0}}}; struct C p={0,0}; for(int i=0;i<5;i++){ p=m[p.r][p.c]; observe(p.r*10+p.c);} m[m[0][0].r][m[0][0].c]=m[m[1][0].r][m[1][1].c]; for(int i=0;i<4;i++){observe(m[i/2][i%2].r);observe(m[i/2][i%2].c);} return 0;}
