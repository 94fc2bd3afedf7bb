// property: ltl: CHECK( init(main()), LTL( G(F"c==0") ) )
signed char c=0; int main(void){ while(1) c+=1; }
