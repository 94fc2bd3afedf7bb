// expected: a compound literal whose initialiser may read it
// The second time the literal is the same object, and compilers differ about when its members change.
extern void reach_error(void);
struct pair { int a, b; };

int main(void)
{
    struct pair first = {1, 2}, *p = &first;
    int again = 0;
start:
    p = &(struct pair){p->b + 1, p->a};
    if (again++ < 2)
        goto start;
    if (p->a != p->b)
        reach_error();
    return 0;
}
