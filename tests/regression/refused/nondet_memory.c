// expected: __VERIFIER_nondet_memory is not supported
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
extern void __VERIFIER_nondet_memory(void*,unsigned);
int main(){ int x=0; __VERIFIER_nondet_memory(&x,sizeof x); if(x) reach_error(); return 0;}
