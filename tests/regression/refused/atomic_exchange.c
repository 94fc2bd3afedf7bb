// expected: lvalue of the kind UnexposedExpr is not supported
void reach_error(void);
int main(void){ int x=1,y=2,r=3; __atomic_exchange(&x,&y,&r,0); if(x!=2) reach_error(); return 0;}
