// property: termination
int main(void){int x=1; while(1) x=x<<1; }
