/* The decision of the boot loader. */
#ifndef BOOT_H
#define BOOT_H

#include "image.h"

typedef struct {
    bool start;          /* else: stay in the boot loader */
    enum slot slot;
    uint16_t version;
    uint8_t address;     /* of the entry, in the slot */
} boot_decision_t;

typedef struct {
    const uint8_t *flash[SLOTS];
    uint16_t oldest_allowed; /* versions below are not started any more */
    uint8_t attempts[SLOTS]; /* starts that were not confirmed */
} boot_t;

#define MAX_ATTEMPTS 3u

void boot_init(boot_t *b, const uint8_t *a, const uint8_t *other, uint16_t oldest_allowed);
boot_decision_t boot_decide(boot_t *b);
void boot_confirm(boot_t *b, const boot_decision_t *d);

#endif
