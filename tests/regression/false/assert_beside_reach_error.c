extern int __VERIFIER_nondet_int(void);

#include <assert.h>
int main(){ int x=__VERIFIER_nondet_int(); assert(x!=3); return 0;}
