extern void reach_error(void);

extern void*malloc(unsigned); 
int main(){ char*p=malloc(1500000000u); int *q=malloc(4); *q=1; p[0]=1; reach_error(); return 0;}
