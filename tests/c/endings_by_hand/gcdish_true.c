// property: termination
extern unsigned __VERIFIER_nondet_uint(void);
int main(void){unsigned a=__VERIFIER_nondet_uint(),b=__VERIFIER_nondet_uint(); while(b){unsigned t=a%b;a=b;b=t;} return 0;}
