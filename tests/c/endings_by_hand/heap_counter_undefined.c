// property: termination
extern void*malloc(unsigned long); int main(void){ int*p=malloc(4); *p=0; while(1) (*p)++; }
