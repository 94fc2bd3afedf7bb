// property: ltl: CHECK( init(main()), LTL( G(F"x==0") ) )
int x=0; int main(void){ while(1){ x=1; x=0; } }
