// property: termination
extern float __VERIFIER_nondet_float(void); int main(void){float f=__VERIFIER_nondet_float(); int n=0; while(f>1.0f && n<5){ f/=2; n++; } return 0;}
