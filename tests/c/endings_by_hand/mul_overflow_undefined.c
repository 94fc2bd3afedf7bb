// property: termination
int main(void){int x=3; while(1) x=x*x; }
