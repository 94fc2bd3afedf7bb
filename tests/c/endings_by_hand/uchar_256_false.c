// property: termination
int main(void){unsigned char c; for(c=0;c<256;c++); return 0;}
