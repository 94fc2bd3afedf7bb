extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern void __VERIFIER_assume(int);
int main(){ int a[6]={[1 ... 3]=5,6}; if(a[0]||a[1]!=5||a[2]!=5||a[3]!=5||a[4]!=6||a[5]) reach_error(); return 0;}
