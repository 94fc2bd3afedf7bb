/* Which floors are asked for: a bit for each of them. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#define FLOORS 6u

typedef struct {
    uint8_t cabin; /* buttons inside */
    uint8_t up;    /* buttons on the floors */
    uint8_t down;
} requests_t;

void requests_clear(requests_t *r);
void requests_press(requests_t *r, uint8_t kind, uint8_t floor);
void requests_serve(requests_t *r, uint8_t floor);
bool requests_at(const requests_t *r, uint8_t floor);
bool requests_above(const requests_t *r, uint8_t floor);
bool requests_below(const requests_t *r, uint8_t floor);
bool requests_none(const requests_t *r);

#endif
