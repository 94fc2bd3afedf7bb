// property: termination
int main(void){float f=1; while(f>0) f*=2; return 0;}
