// property: termination
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
int main(void){ while(1){ if(__VERIFIER_nondet_int()==3) abort(); } }
