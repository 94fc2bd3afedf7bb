// property: termination
int one(int x){return 1;} int two(int x){return x+1;} int main(void){int(*f)(int)=one; int x=0; while(x<5){ x=f(x);} return 0;}
