// property: termination
int main(void){int x=0; again: x=1-x; if(x<2) goto again; return 0;}
