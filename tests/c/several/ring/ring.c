#include <stdlib.h>
#include "shared.h"
struct ring { int head, count, size; struct point *slots; }; static int limit; enum { STEP = 2 }; int total = STEP; ring_t *newest;
static int next(int x, int size) { limit++; return (x + 1) % size; } struct local { char c[2]; }; static struct local mine = {"z"};
ring_t *ring_new(int size) { ring_t *r = malloc(sizeof *r); *r = (ring_t){0, 0, size, malloc(size * sizeof *r->slots)}; return newest = r; }
void ring_put(ring_t *r, struct point p) {
  r->slots[(r->head + r->count) % r->size] = p; total += p.x + mine.c[0];
  if (r->count < r->size) r->count++; else r->head = next(r->head, r->size);
}
struct point ring_get(ring_t *r) { struct point p = r->slots[r->head]; r->head = next(r->head, r->size); r->count--; return p; }
enum kind ring_kind(const ring_t *r) { return r->count == 0 ? NONE : r->count == 1 ? ONE : MANY; }
