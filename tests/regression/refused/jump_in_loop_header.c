// expected: jump in the header of a loop
extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
int main(){ int i=0; while(({ if(i>3) break; 1; })) i++; if(i!=4) reach_error(); return 0;}
