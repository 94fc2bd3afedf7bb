// property: termination
int x; int main(void){ int*p=&x; while(1) (*p)++; }
