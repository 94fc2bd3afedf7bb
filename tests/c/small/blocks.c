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
//// parts of records as blocks
typedef struct { unsigned char data[16], head, count; unsigned short lost; } ring; typedef struct { int state; unsigned char sum, load[8]; } parser;
typedef struct { ring rx, tx; parser p; short last; } uart; uart u, w; ring spare = {{1,2,3},4,5,6};
void clear(ring *r) { memset(r, 0, sizeof *r); } void fill(ring *r, int n) { for (int i = 0; i < n; i++) r->data[(r->head + i) & 15] = (unsigned char)(i * 3); r->count += n; r->head = (r->head + n) & 15; }
void keep(parser *p, const ring *r, int n) { memcpy(p->load, r->data + 2, n); p->sum = p->load[n - 1]; p->state++; }
int main(void) {
  uart *v = &u; fill(&v->rx, 9); fill(&u.tx, 5); clear(&v->tx); fill(&v->tx, 2); keep(&v->p, &v->rx, 6); memcpy(&w.rx, &v->tx, sizeof(ring)); w.tx = spare; memcpy(&spare, &v->rx, sizeof spare);
  memset(v->p.load + 1, 7, 2); unsigned char *q = v->rx.data + 3, *end = &v->rx.data[16]; q[2] = 77; end[-1] = 55; end -= 2; *end = 66; fill(&w.tx, 16);
  for (int i = 0; i < 16; i++) { observe(u.rx.data[i]); observe(u.tx.data[i]); observe(w.rx.data[i]); observe(w.tx.data[i]); observe(spare.data[i]); }
  for (int i = 0; i < 8; i++) observe(v->p.load[i]); observe(u.p.sum); observe(u.p.state); observe(w.tx.lost); observe(w.tx.head); observe(u.rx.count); observe(w.rx.count); w = u; w.p = (parser){9, 8, {7, 6}}; observe(w.rx.data[4]); observe(w.p.load[1]); observe(w.p.load[2]); observe(u.p.load[1]);
  return 0;
}
//// rows, records and bit-fields in records that pointers reach
struct item { short k; unsigned f:3, g:5; }; struct box { int n, m[3][4]; struct item it[4]; struct { int x[2]; } last; } b, c; struct pair { struct box *at; int i; };
int sum(struct box *p, int r) { int *row = p->m[r], s = 0; for (int i = 0; i < 4; i++) s += row[i]; return s; }
void put(struct item *t, int k) { t->k = k; t->f = k; t->g = k * 3; } short *key(struct item *t) { return &t->k; }
int main(void) {
  struct box *p = &b; for (int i = 0; i < 12; i++) p->m[i / 4][i % 4] = i * i; for (int i = 0; i < 4; i++) put(&p->it[i], i + 5); put(c.it + 2, 3); *key(&p->it[1]) = 99; struct item *e = &p->it[3]; e--; e->g++; e[-1].f = 1; *key(e) += 2;
  int (*rows)[4] = p->m; rows[1][2] = -1; (*(rows + 2))[3]--; (&p->n)[0] = 4; struct pair z = {&c, 1}; z.at->m[z.i][z.i] = 8; z.at->last.x[z.i] = 6; c.it[3] = b.it[z.i + 1]; p = z.i ? &c : &b; p->last.x[0]++;
  for (int i = 0; i < 3; i++) { observe(sum(&b, i)); observe(sum(&c, i)); for (int j = 0; j < 4; j++) { observe(b.m[i][j]); observe(c.m[i][j]); } }
  for (int i = 0; i < 4; i++) { observe(b.it[i].k); observe(b.it[i].f); observe(b.it[i].g); observe(c.it[i].k); observe(c.it[i].f); observe(c.it[i].g); } observe(b.n); observe(c.last.x[0]); observe(c.last.x[1]); observe(b.last.x[0]); observe(&b.it[2] - b.it); observe((char *)&c.m[2][1] - (char *)&c);
  return 0;
}
//// many boxes, one function
struct s { unsigned char n; int a[5]; short q[3]; }; struct s one, two; static struct s three = {2, {1, 2, 3, 4, 5}, {6, 7, 8}};
int take(struct s *x, int i, int v) { int old = x->a[i]; x->a[i] = v; x->q[v % 3] += (short)old; x->n++; return old; } int *in(struct s *x, int i) { return &x->a[i]; }
int main(void) {
  struct s four = {0}; struct s *all[4] = {&one, &two, &three, &four}; for (int i = 0; i < 20; i++) { observe(take(all[i % 4], (i * 3) % 5, i)); int *p = in(all[(i + 1) % 4], i % 5); *p += 100; p = p - i % 5; observe(p[(i + 2) % 5]); }
  four = three; *all[0] = *all[3]; struct s five = *all[1]; five.a[4]--; for (int i = 0; i < 5; i++) { observe(one.a[i]); observe(two.a[i]); observe(three.a[i]); observe(four.a[i]); observe(five.a[i]); } for (int i = 0; i < 3; i++) { observe(one.q[i]); observe(four.q[i]); observe(two.q[i]); } observe(one.n); observe(two.n);
  return 0;
}
//// static assertions in blocks, whose message is no object
int main(void) { _Static_assert(sizeof(char) == 1, "a message"); int x = 1; { _Static_assert(1 + 1 == 2, "another" " one"); x++; } typedef int row[3]; row r = {x}; observe(r[0] + sizeof(row)); return 0; }
