// property: termination
int main(void){int s=0; while(1){ if(s<1000000) s+=3; else s-=5; } }
