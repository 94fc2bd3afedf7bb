// Two calls in one expression: each has compound literals of its own, so their order does not matter.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct pair {
    int a, b;
};

static struct pair make(int x)
{
    return (struct pair){x, -x};
}

static struct pair sum(struct pair p, struct pair q)
{
    return (struct pair){p.a + q.a, p.b + q.b};
}

int main(void)
{
    int n = __VERIFIER_nondet_int() & 7;
    struct pair p = sum(make(n), sum(make(1), make(2)));
    if (p.a != n + 3 || p.b != -n - 3)
        reach_error();
    if (make(n).a + make(5).b != n - 5)
        reach_error();
    return 0;
}
