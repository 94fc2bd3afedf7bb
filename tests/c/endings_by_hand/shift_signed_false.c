// property: termination
int main(void){int x=-8; while(x) x>>=1; return 0;}
