// property: termination
int main(void){double d=1; while(d>0) d/=2; return 0;}
