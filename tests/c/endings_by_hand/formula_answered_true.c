// property: ltl: CHECK( init(main()), LTL( G(!"req==1" || F"ack==1") ) )
extern int __VERIFIER_nondet_int(void);
int req=0,ack=0; int main(void){ while(1){ req=__VERIFIER_nondet_int()!=0; ack=0; if(req){ int i=10; while(i>0) i--; ack=1; } req=0; } }
