// property: no-overflow
// The absolute value of the least integer overflows, whether anybody looks at it or not.
int abs(int);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    abs(x);
    return 0;
}
