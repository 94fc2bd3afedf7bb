// property: termination
extern int __VERIFIER_nondet_int(void);
int main(void){int n=100; while(n>0){ if(__VERIFIER_nondet_int()) n--; else n-=2; } return 0;}
