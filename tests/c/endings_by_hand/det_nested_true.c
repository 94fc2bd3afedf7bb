// property: termination
int main(void){unsigned a=0,b; while(a<12){ b=1; while(b<20) b=b*3%29+ (b>25); a+=b%2+1; } return 0;}
