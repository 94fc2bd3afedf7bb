// property: ltl: CHECK( init(main()), LTL( "x==1" U "x==2" ) )
int x=0; int main(void){ x=1; x=2; while(1) x=0; }
