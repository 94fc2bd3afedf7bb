// expected: time with a pointer that is not null
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
extern long time(long*);
int main(){ long t=0; time(&t); if(t) reach_error(); return 0;}
