// property: termination
int main(void){ int x=0,y; while(1){ y=x+1; x=y; } }
