// Operands that change different elements, members or blocks: no order of evaluation makes a difference.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned);

struct ring { int slots[4], head, count; };
struct node { struct node *next; int value; };

static void put(struct ring *r, int v)
{
    r->slots[(r->head + r->count++) % 4] = v;
}

static struct node *made(int v)
{
    struct node *n = malloc(sizeof *n);
    n->value = v;
    n->next = 0;
    return n;
}

static int more(int x)
{
    int *p = &x;
    *p += 1;
    return x;
}

int main(void)
{
    struct ring r = {{0}, 1, 0};
    put(&r, 7);
    put(&r, 8);
    if (r.count != 2 || r.slots[1] != 7 || r.slots[2] != 8)
        reach_error();
    struct node *h = made(1);
    h->next = made(2);
    h->next->next = made(3);
    if (h->next->next->value + made(4)->value * made(5)->value != 23 || more(1) + more(2) != 5)
        reach_error();
    int i = __VERIFIER_nondet_int() & 1, a[3] = {1, 2, 3};
    a[i] = a[i + 1]++;
    if (a[i] != i + 2 || a[i + 1] != i + 3)
        reach_error();
    return 0;
}
