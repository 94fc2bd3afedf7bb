// property: termination
int main(void){float f=0; f=f/f; while(f<1.0f||f>=1.0f) f+=1; return 0;}
