#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct device { int id; struct device *next; };
struct buffer { long used; char *data; struct device *owner; };
static void *zalloc_or_die(unsigned long size) {
    void *p = malloc(size);
    if (p == NULL) abort();
    memset(p, 0, size);
    return p;
}
int main(void) {
    int id = __VERIFIER_nondet_int();
    struct device *d = zalloc_or_die(sizeof(struct device));
    struct buffer *b = zalloc_or_die(sizeof(struct buffer));
    d->id = id;
    b->owner = d;
    b->used = 1;
    while (__VERIFIER_nondet_int()) {
        if (b->used < 100) b->used++;
        assert(b->owner == d);
    }
    assert(b->owner->id == id);
    assert(b->used <= 100 && b->data == NULL && d->next == NULL);
    free(b); free(d);
    return 0;
}
