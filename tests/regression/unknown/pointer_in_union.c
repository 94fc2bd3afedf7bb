// expected: where objects lie in memory
// A number that was an address becomes a pointer again: refuting it would need numbers that stand for addresses.
extern void reach_error(void);

union U{int*p;int i;};
int main(){ int x=1; union U u; u.p=&x; int k=u.i; int*q=(int*)k; *q=5; if(x==5) reach_error(); return 0;}
