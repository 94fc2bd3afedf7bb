/* Keys bounce: a key has changed when it reads the same for so many samples. */
#ifndef DEBOUNCE_H
#define DEBOUNCE_H

#include <stdint.h>

#define KEYS 4u
#define STABLE_SAMPLES 5u

struct debounce {
    uint8_t state;           /* a bit for each key: down */
    uint8_t counter[KEYS];
};

void debounce_init(struct debounce *d);
uint8_t debounce_sample(struct debounce *d, uint8_t raw); /* the keys that went down just now */

#endif
