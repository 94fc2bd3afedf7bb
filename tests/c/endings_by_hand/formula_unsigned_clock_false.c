// property: ltl: CHECK( init(main()), LTL( G(F"x==1") ) )
int x=0; unsigned n=0; int main(void){ while(1){ n++; } }
