// property: ltl: CHECK( init(main()), LTL( G("x<=10") ) )
int x=0; int main(void){ int d=1; while(1){ x+=d; if(x==10) d=-1; if(x==0) d=1; } }
