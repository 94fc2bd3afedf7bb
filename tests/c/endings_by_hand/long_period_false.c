// property: termination
int main(void){int x=0; while(1){ x=(x+7)%1000003; } }
