// property: termination
int main(void){unsigned long x=1; while(1) x+=x; }
