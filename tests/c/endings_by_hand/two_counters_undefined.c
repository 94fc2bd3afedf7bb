// property: termination
int main(void){int a=0; int b=0; while(1){ if(a>b) b+=2; else a+=2; } }
