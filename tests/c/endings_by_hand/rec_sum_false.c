// property: termination
unsigned f(unsigned n){ return 1+f(n+1);} int main(void){ return f(0); }
