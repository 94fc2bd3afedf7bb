// property: ltl: CHECK( init(main()), LTL( F"x==5" ) )
int x=0; int main(void){ while(x<5) x+=2; return 0; }
