// property: termination
int ev(unsigned n){ return n==0?1:1+ev(n-2);} int main(void){ return ev(7); }
