// property: termination
extern int __VERIFIER_nondet_int(void);
int main(void){int x=0; while(1){ if(__VERIFIER_nondet_int()>0) x+=3; else x+=5; if(x>100000) x=0; } }
