// property: ltl: CHECK( init(main()), LTL( G("y==0") ) )
int x=0; int main(void){ int y=0; while(1){ y=x; x=!x; } }
