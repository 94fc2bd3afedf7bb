/* A ring buffer of bytes between the receive interrupt (one writer) and the main loop (one reader). */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_SIZE 16u /* a power of two */

typedef struct {
    uint8_t data[RING_SIZE];
    uint8_t head;  /* where the next byte is written */
    uint8_t tail;  /* where the next byte is read */
    uint8_t count; /* how many bytes are waiting */
    uint16_t lost; /* bytes that did not fit */
} ring_t;

void ring_init(ring_t *r);
bool ring_put(ring_t *r, uint8_t byte);
bool ring_get(ring_t *r, uint8_t *byte);

static inline bool ring_is_empty(const ring_t *r)
{
    return r->count == 0u;
}

static inline bool ring_is_full(const ring_t *r)
{
    return r->count == RING_SIZE;
}

#endif
