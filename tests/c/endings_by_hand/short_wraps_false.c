// property: termination
int main(void){short s=0; while(1) s++; }
