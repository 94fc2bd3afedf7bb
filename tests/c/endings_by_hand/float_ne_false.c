// property: termination
int main(void){float f=0; while(f!=1.0f) f+=0.1f; return 0;}
