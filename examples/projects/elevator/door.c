#include "door.h"

static void set(struct door *d, enum door_state s, uint8_t ticks)
{
    d->state = s;
    d->timer = ticks;
}

void door_init(struct door *d)
{
    set(d, DOOR_CLOSED, 0u);
}

void door_open(struct door *d)
{
    if (d->state == DOOR_CLOSED || d->state == DOOR_CLOSING) {
        set(d, DOOR_OPENING, DOOR_MOVE);
    }
}

void door_step(struct door *d, bool blocked)
{
    if (d->state == DOOR_CLOSED) {
        return;
    }
    if (d->timer > 0u) {
        d->timer--;
    }
    if (blocked && d->state == DOOR_CLOSING) {
        set(d, DOOR_OPENING, DOOR_MOVE);
    } else if (d->timer == 0u) {
        switch (d->state) {
        case DOOR_OPENING:
            set(d, DOOR_OPEN, DOOR_WAIT);
            break;
        case DOOR_OPEN:
            set(d, DOOR_CLOSING, DOOR_MOVE);
            break;
        default:
            set(d, DOOR_CLOSED, 0u);
            break;
        }
    }
}
