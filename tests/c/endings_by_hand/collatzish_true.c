// property: termination
extern unsigned __VERIFIER_nondet_uint(void);
int main(void){unsigned char x=__VERIFIER_nondet_uint(); while(x>1){ if(x&1) x=x-1; else x=x/2; } return 0;}
