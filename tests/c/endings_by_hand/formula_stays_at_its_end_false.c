// property: ltl: CHECK( init(main()), LTL( G(F"x==0") ) )
int x=0; int main(void){ x=1; return 0; }
