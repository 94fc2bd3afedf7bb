// property: termination
int main(void){int x=0; unsigned u=0; while(1){ u++; x=(int)(u&7); x=x+1; } }
