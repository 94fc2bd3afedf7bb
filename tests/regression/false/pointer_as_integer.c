// A number that was an address becomes a pointer again.
extern void reach_error(void);

int main(){ int x=1; int*p=&x; int k=*(int*)&p; int*q=*(int**)&k; *q=7; if(x==7) reach_error(); return 0;}
