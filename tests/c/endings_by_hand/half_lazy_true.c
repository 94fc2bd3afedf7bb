// property: termination
int main(void){int x=1; while(x>0){ if(x%2) x=x+1; else x=x+3; } return 0;}
