// expected: value of a call
extern void reach_error(void);
int main(){ double d=fabs(-1.0); if(d==3) reach_error(); return 0;}
