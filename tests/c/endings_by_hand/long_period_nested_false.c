// property: termination
int main(void){int x=0,y=0; while(1){ x++; if(x>50000){ x=0; y++; if(y>3) y=0; } } }
