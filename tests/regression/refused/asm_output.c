// expected: inline assembly
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
int main(){ int y=0; asm("" : "=r"(y) : "0"(5)); if(y==5) reach_error(); return 0;}
