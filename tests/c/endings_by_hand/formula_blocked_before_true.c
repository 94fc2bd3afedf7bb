// property: ltl: CHECK( init(main()), LTL( G("x>=0") ) )
extern void __VERIFIER_assume(int);
int x=0; int main(void){ x=3; __VERIFIER_assume(0); x=-1; }
