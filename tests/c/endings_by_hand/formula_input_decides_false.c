// property: ltl: CHECK( init(main()), LTL( G(F"b==0") && G(F"b==1") ) )
extern int __VERIFIER_nondet_int(void);
int b=0; int main(void){ while(1){ b=1; if(__VERIFIER_nondet_int()) b=0; } }
