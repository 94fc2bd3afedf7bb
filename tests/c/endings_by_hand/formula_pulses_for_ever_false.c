// property: ltl: CHECK( init(main()), LTL( F(G"x==0") ) )
int x=0; int main(void){ while(1){ x=1; x=0; } }
