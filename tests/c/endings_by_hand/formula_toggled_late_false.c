// property: ltl: CHECK( init(main()), LTL( F(G"x==0") ) )
int x=0; int main(void){ int t=0; while(1){ t++; if(t==1000){ t=0; x=!x; } } }
