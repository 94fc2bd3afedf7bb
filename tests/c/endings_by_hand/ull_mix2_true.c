// property: termination
int main(void){int i=-1; while(i<0u+10) i++; return 0;}
