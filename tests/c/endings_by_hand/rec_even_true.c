// property: termination
extern unsigned __VERIFIER_nondet_uint(void);
int ev(unsigned n); int od(unsigned n){ return n==0?0:ev(n-1);} int ev(unsigned n){ return n==0?1:od(n-1);} int main(void){ return ev(__VERIFIER_nondet_uint()); }
