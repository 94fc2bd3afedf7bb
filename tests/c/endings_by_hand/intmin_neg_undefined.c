// property: termination
int main(void){int x=-2147483647-1; while(x<0) x=-x; return 0;}
