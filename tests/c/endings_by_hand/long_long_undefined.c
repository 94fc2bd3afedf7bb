// property: termination
int main(void){long long x=1; while(1) x+=x; }
