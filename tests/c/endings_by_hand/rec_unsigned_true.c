// property: termination
unsigned f(unsigned n){ if(n==0) return 0; return f(n+1); } int main(void){ return f(1); }
