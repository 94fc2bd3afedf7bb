// property: termination
int main(void){int x=0,y=0; while(1){ x+=3; y++; if(x>100000) x=0; } }
