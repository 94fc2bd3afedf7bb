// property: termination
int main(void){int i=-1; while(i<0u+10) ; return 0;}
