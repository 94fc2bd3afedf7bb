// property: termination
int main(void){int i=0,j; while(i<10){ for(j=0;j<5;j++) if(j==3) i=0; i++; } return 0;}
