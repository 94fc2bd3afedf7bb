extern void reach_error(void);

extern void*calloc(unsigned,unsigned); struct S{long long n; char d[];};
int main(){ struct S*p=calloc(1,18); if(p->d[3]) reach_error(); return 0;}
