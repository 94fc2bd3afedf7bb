// property: termination
int main(void){unsigned char x; while(x!=3) x++; return 0;}
