// property: termination
int main(void){int i=0; while(i++<10 && i-->0) i++; return 0;}
