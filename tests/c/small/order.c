//// strncpy pads, cuts, and takes its source from anywhere
char *strncpy(char *, const char *, size_t);
int main(void) {
  char b[10]="zzzzzzzzz", src[6]="abc\0d"; for(int i=0;i<4;i++) for(int j=0;j<4;j++) { strncpy(b+i,src+j,2+((i+j)&3)); for(int n=0;n<10;n++) observe(b[n]); }
  observe(strncpy(b,"hello",3)==b); observe(b[2]); observe(b[3]); strncpy(b,"",sizeof b); observe(b[9]); strncpy(b,src,0); observe(b[0]); b[5]=1; observe(strncpy(b,"abcdefghijkl",5)[4]); observe(b[5]);
  return 0;
}
//// compound literal in a recursive function
int f(int n) { int *p=&(int){n*3}, r=0; if(n>0) r=f(n-1); *p+=n; return r*10+*p; }
int main(void) {
  observe(f(3)); observe(f(0)); return 0;
}
//// operands that touch different elements, members and blocks
struct R { int slots[8], head, count; }; struct N { struct N *next; int v; }; int c;
struct N *mk(int v) { struct N *p=malloc(sizeof *p); p->v=v; p->next=0; return p; }
int pure(int i) { int t[2]={i,i+1}; int *p=t; return p[i&1]; } int own(int i) { int x=i,*p=&x; *p+=1; return x; }
int id(int i) { return i; } int up(int n) { c+=n; return c; }
int main(void) {
  struct R rr={{0},2,0},*r=&rr; for(int i=0;i<9;i++) r->slots[(r->head+r->count++)%8]=i*i; observe(r->slots[1]); observe(r->slots[2]); r->slots[r->count++&7]=r->head++; observe(r->head); observe(r->slots[1]);
  struct N *h=mk(1); h->next=mk(2); h->next->next=mk(3); observe(h->next->next->v); observe(pure(1)+pure(2)*pure(3)); observe(own(1)-own(5)); observe(mk(4)->v*mk(5)->v);
  int a[4]={1,2,3,4}; for(int i=0;i<3;i++) { a[id(i)]+=up(1); int *q=a; q[id(i)]=q[id(i)+1]+up(2); a[i]=a[i+1]++; observe(a[i]); observe(a[i+1]); } h->v=h->next->v++; observe(h->v); observe(h->next->v);
  return 0;
}
//// assignments in assignments in assignments
struct S { int a, b[3]; } s, *p = &s; int a[4], *q = a;
int main(void) {
  int i=1,j=2; for(int n=0;n<3;n++) { p->a=(a[i]=p->b[n]++)+1; observe(p->a); observe(a[1]); p->b[n]=a[j]=(q[3]=p->a--)+(a[0]=n); observe(p->b[n]); observe(a[2]); observe(q[3]); p->b[(q[1]=n)]+=(a[3]=(p->a+=2)); observe(p->b[n]); q[i++]=j--; observe(i); i=1; j=2; }
  return 0;
}
