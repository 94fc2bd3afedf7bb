// property: termination
int main(void){ int i,j; for(i=0,j=5; i<j; i++,j++) { i--; j--; } return 0;}
