// expected: declared more than once
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
int main(){ int i=0; { __label__ L; goto L; i=5; L: i++; } { __label__ L; goto L; i=7; L: i++; } if(i!=2) reach_error(); return 0;}
