// property: termination
int main(void){unsigned short s=3; while(s*s<1000000) s++; return 0;}
