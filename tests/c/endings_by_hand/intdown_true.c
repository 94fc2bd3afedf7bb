// property: termination
extern int __VERIFIER_nondet_int(void);
int main(void){int x=__VERIFIER_nondet_int(); while(x>0) x-=3; return 0;}
