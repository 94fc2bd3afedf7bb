// property: termination
int main(void){_Bool b=0; while(!b){ b=b&1; } return 0;}
