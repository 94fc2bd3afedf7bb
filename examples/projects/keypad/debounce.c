#include "debounce.h"

void debounce_init(struct debounce *d)
{
    d->state = 0u;
    for (unsigned k = 0; k < KEYS; k++) {
        d->counter[k] = 0u;
    }
}

uint8_t debounce_sample(struct debounce *d, uint8_t raw)
{
    const uint8_t differs = (uint8_t)((raw ^ d->state) & ((1u << KEYS) - 1u));
    uint8_t pressed = 0u;

    for (unsigned k = 0; k < KEYS; k++) {
        const uint8_t bit = (uint8_t)(1u << k);

        if ((differs & bit) == 0u) {
            d->counter[k] = 0u;
        } else if (++d->counter[k] >= STABLE_SAMPLES) {
            d->counter[k] = 0u;
            d->state ^= bit;
            pressed |= d->state & bit;
        }
    }
    return pressed;
}
