// property: termination
int main(void){unsigned x; x&=7; while(x!=0) x=(x*3)%8==1?0:x-1; return 0;}
