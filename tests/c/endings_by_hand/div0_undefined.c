// property: termination
int main(void){int x=0,y=1; while(1) y=y/x; }
