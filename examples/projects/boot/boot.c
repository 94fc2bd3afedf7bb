#include "boot.h"

void boot_init(boot_t *b, const uint8_t *a, const uint8_t *other, uint16_t oldest_allowed)
{
    b->flash[SLOT_A] = a;
    b->flash[SLOT_B] = other;
    b->oldest_allowed = oldest_allowed;
    b->attempts[SLOT_A] = 0u;
    b->attempts[SLOT_B] = 0u;
}

static bool usable(const boot_t *b, enum slot s, image_header_t *h)
{
    if (b->attempts[s] >= MAX_ATTEMPTS) {
        return false;
    }
    return image_check(b->flash[s], h) == IMAGE_OK && h->version >= b->oldest_allowed;
}

static boot_decision_t take(boot_t *b, enum slot s, const image_header_t *h)
{
    boot_decision_t d = { true, s, h->version, (uint8_t)(HEADER_SIZE + h->entry) };

    b->attempts[s]++;
    return d;
}

boot_decision_t boot_decide(boot_t *b)
{
    const boot_decision_t stay = { false, SLOT_A, 0u, 0u };
    image_header_t a, other;
    const bool first = usable(b, SLOT_A, &a);
    const bool second = usable(b, SLOT_B, &other);

#ifdef SEEDED_BUG
    if (!first && !second && a.magic == IMAGE_MAGIC) { /* better an old one than none */
        return take(b, SLOT_A, &a);
    }
#endif
    if (first && (!second || a.version >= other.version)) {
        return take(b, SLOT_A, &a);
    }
    return second ? take(b, SLOT_B, &other) : stay;
}

void boot_confirm(boot_t *b, const boot_decision_t *d)
{
    if (d->start) {
        b->attempts[d->slot] = 0u;
        if (d->version > b->oldest_allowed) {
            b->oldest_allowed = d->version;
        }
    }
}
