#include "requests.h"

#include <string.h>

#define MASK(floor) ((uint8_t)(1u << (floor)))
#define ALL ((uint8_t)((1u << FLOORS) - 1u))

static uint8_t any(const requests_t *r)
{
    return (uint8_t)((r->cabin | r->up | r->down) & ALL);
}

void requests_clear(requests_t *r)
{
    memset(r, 0, sizeof *r);
}

void requests_press(requests_t *r, uint8_t kind, uint8_t floor)
{
    if (floor >= FLOORS) {
        return;
    }
    switch (kind) {
    case 0:
        r->cabin |= MASK(floor);
        break;
    case 1:
        if (floor + 1u < FLOORS) {
            r->up |= MASK(floor);
        }
        break;
    case 2:
        if (floor > 0u) {
            r->down |= MASK(floor);
        }
        break;
    default:
        break;
    }
}

void requests_serve(requests_t *r, uint8_t floor)
{
    const uint8_t others = (uint8_t)~MASK(floor);

    r->cabin &= others;
    r->up &= others;
    r->down &= others;
}

bool requests_at(const requests_t *r, uint8_t floor)
{
    return (any(r) & MASK(floor)) != 0u;
}

bool requests_above(const requests_t *r, uint8_t floor)
{
    return (any(r) >> (floor + 1u)) != 0u;
}

bool requests_below(const requests_t *r, uint8_t floor)
{
    return (any(r) & (uint8_t)(MASK(floor) - 1u)) != 0u;
}

bool requests_none(const requests_t *r)
{
    return any(r) == 0u;
}
