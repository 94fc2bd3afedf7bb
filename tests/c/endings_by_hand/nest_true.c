// property: termination
int main(void){int i,j; for(i=0;i<10;i++) for(j=0;j<i;j++); return 0;}
