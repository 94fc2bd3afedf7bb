#ifndef SHARED_H
#define SHARED_H
enum kind { NONE, ONE, MANY = 7 }; typedef struct ring ring_t; struct point { short x, y; }; extern int total; extern ring_t *newest;
ring_t *ring_new(int size); void ring_put(ring_t *, struct point); struct point ring_get(ring_t *); enum kind ring_kind(const ring_t *);
#endif
