// property: ltl: CHECK( init(main()), LTL( F"x==1" ) )
extern void abort(void);
int x=0; int main(void){ abort(); x=1; }
