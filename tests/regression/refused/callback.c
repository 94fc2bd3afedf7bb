// expected: may call bad
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
extern void call(void(*)(void)); static void bad(void){ reach_error(); }
int main(){ call(bad); return 0;}
