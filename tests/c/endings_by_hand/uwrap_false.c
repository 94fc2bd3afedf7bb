// property: termination
int main(void){unsigned x; for(x=10;x>=0;x--); return 0;}
