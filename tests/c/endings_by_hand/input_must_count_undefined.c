// property: termination
extern int __VERIFIER_nondet_int(void);
int main(void){int n=0; while(1){ n++; if(__VERIFIER_nondet_int()) n++; } }
