// property: termination
int main(void){unsigned x; while(x!=3) x=x*2; return 0;}
