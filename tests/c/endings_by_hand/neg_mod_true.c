// property: termination
int main(void){int x=-5; while(x!=0) x=(x-1)%5; return 0;}
