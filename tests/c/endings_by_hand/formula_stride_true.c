// property: ltl: CHECK( init(main()), LTL( G(F"c==0") ) )
unsigned char c=0; int main(void){ while(1) c+=3; }
