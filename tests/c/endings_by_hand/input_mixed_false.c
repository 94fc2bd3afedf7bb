// property: termination
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void){int n=0; while(1){ int k=__VERIFIER_nondet_int(); __VERIFIER_assume(k!=0); n+=k; } }
