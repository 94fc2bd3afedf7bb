// property: termination
int main(void){int x=0; while(1){ x+=3; if(x>100000) x-=100000; } }
