// property: ltl: CHECK( init(main()), LTL( G(F"x==1") ) )
extern int __VERIFIER_nondet_int(void);
int x=0,n=0; int main(void){ while(1){ n+=__VERIFIER_nondet_int(); } }
