// property: ltl: CHECK( init(main()), LTL( G("x==0") ) )
int x=0,n=0; int main(void){ while(1){ n++; if(n==3) x=1; } }
