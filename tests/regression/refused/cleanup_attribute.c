// expected: attribute cleanup
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
static int g; void fin(int*p){ g=*p; }
int main(){ { int x __attribute__((cleanup(fin)))=5; } if(g==5) reach_error(); return 0;}
