// A pointer is copied with the union it is in, as a number.
extern void reach_error(void);

union U{int*p;int i;};
int main(){ int x=1; union U u; u.p=&x; int k=u.i; int*q=(int*)k; *q=5; if(x==5) reach_error(); return 0;}
