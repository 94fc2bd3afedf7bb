// property: termination
int f(int x); int g(int x){ if(x<=0) return 0; return f(x-1)+f(x-2);} int f(int x){ if(x<=0) return 0; return g(x)+g(x+1);} int main(void){ return g(2); }
