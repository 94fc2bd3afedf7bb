// property: termination
int next(void){static int n=0; return ++n;} int main(void){while(next()<10); return 0;}
