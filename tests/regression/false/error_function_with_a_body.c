// property: no-overflow
// The property is not about calls of this function: it does what its body says, and the run goes on.
int __VERIFIER_nondet_int(void);
static int reported;
static void reach_error(void) { reported = 1; }

int main(void) {
    int x = __VERIFIER_nondet_int();
    reach_error();
    return x + 1;
}
