#include "ring.h"

#include <string.h>

static uint8_t next(uint8_t index)
{
    return (uint8_t)((index + 1u) & (RING_SIZE - 1u));
}

void ring_init(ring_t *r)
{
    memset(r, 0, sizeof *r);
}

bool ring_put(ring_t *r, uint8_t byte)
{
#ifdef SEEDED_BUG
    if (r->count > RING_SIZE) { /* one too late */
#else
    if (ring_is_full(r)) {
#endif
        if (r->lost < UINT16_MAX) {
            r->lost++;
        }
        return false;
    }
    r->data[r->head] = byte;
    r->head = next(r->head);
    r->count++;
    return true;
}

bool ring_get(ring_t *r, uint8_t *byte)
{
    if (ring_is_empty(r)) {
        return false;
    }
    *byte = r->data[r->tail];
    r->tail = next(r->tail);
    r->count--;
    return true;
}
