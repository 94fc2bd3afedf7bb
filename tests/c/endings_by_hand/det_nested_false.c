// property: termination
int main(void){unsigned a=7; while(a!=0){ a=a*3%29; } return 0;}
