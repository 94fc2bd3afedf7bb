// property: termination
int f(int n){ if(n==7) return f(7); return n<=0?0:f(n-1)+1; } int main(void){ return f(20); }
