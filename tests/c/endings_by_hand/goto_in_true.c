// property: termination
int main(void){int x=0; goto in; while(x<5){ x++; in: x++; } return 0;}
