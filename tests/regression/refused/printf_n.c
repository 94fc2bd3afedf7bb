// expected: printf with %n
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
extern int printf(const char*,...);
int main(){ int c=0; printf("abc%n",&c); if(c) reach_error(); return 0;}
