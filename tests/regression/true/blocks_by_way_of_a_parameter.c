#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
/* results by way of a parameter */
struct shape { int kind; double area; };
struct owner { struct shape *shape; int age; };
static int allocate(void **place, unsigned long size) {
    *place = malloc(size);
    return *place == 0;
}
int main(void) {
    void *p, *q;
    if (allocate(&p, sizeof(struct shape))) return 1;
    if (allocate(&q, sizeof(struct owner))) return 1;
    struct shape *s = p;
    struct owner *o = q;
    s->kind = 2; s->area = 1.5;
    o->shape = s; o->age = 0;
    while (__VERIFIER_nondet_int()) {
        if (o->age < 50) o->age++;
        assert(o->shape->kind == 2);
    }
    assert(o->age <= 50 && o->shape == s && s->area == 1.5);
    return 0;
}
