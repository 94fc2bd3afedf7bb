// property: ltl: CHECK( init(main()), LTL( F(G"x==1") ) )
int x=0; int main(void){ x=1; return 0; }
