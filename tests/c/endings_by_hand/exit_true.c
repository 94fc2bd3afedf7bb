// property: termination
extern void exit(int);
int main(void){int x=0; while(1){ x++; if(x==7) exit(0);} }
