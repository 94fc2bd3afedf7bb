// property: termination
int main(void){float f=0; while(f<10.0f) f+=1.0f; return 0;}
