// expected: __sync_fetch_and_add_4 is not supported
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
int main(){ int x=0; __sync_fetch_and_add(&x,1); if(x) reach_error(); return 0;}
