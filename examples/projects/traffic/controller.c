#include "controller.h"

#include "config.h"

static enum road other(enum road r)
{
    return r == NORTH_SOUTH ? EAST_WEST : NORTH_SOUTH;
}

static void enter(struct controller *c, enum phase p)
{
    c->phase = p;
    c->elapsed = 0u;
}

static void check_lamps(struct controller *c, const struct inputs *in)
{
    if (!in->lamp_broken) {
        c->broken_ticks = 0u;
    } else if (++c->broken_ticks >= LAMP_CHECK_LIMIT) {
        lamps_all_red(&c->lamps);
        enter(c, PHASE_FAULT);
    }
}

static void all_red(struct controller *c)
{
    if (c->elapsed < ALL_RED_TIME) {
        return;
    }
    if (c->walk_request) {
        c->walk_request = false;
        c->lamps.walk = true;
        enter(c, PHASE_WALK);
    } else {
        c->active = other(c->active);
        lamps_set(&c->lamps, c->active, RED_YELLOW);
        enter(c, PHASE_PREPARE);
    }
}

static void prepare(struct controller *c)
{
    if (c->elapsed >= 10u) {
        lamps_set(&c->lamps, c->active, GREEN);
        enter(c, PHASE_GREEN);
    }
}

static void green(struct controller *c, const struct inputs *in)
{
    const bool wanted = in->car[other(c->active)] || c->walk_request;
    const bool busy = in->car[c->active];

    if (c->elapsed < GREEN_MIN) {
        return;
    }
    if (c->elapsed >= GREEN_MAX || (wanted && !busy)) {
        lamps_set(&c->lamps, c->active, YELLOW);
        enter(c, PHASE_YELLOW);
    }
}

static void yellow(struct controller *c)
{
    if (c->elapsed >= YELLOW_TIME) {
#ifdef SEEDED_BUG
        if (c->walk_request) { /* saves time, but the road still shows yellow */
            c->walk_request = false;
            c->lamps.walk = true;
            enter(c, PHASE_WALK);
            return;
        }
#endif
        lamps_set(&c->lamps, c->active, RED);
        enter(c, PHASE_ALL_RED);
    }
}

static void walk(struct controller *c)
{
    if (c->elapsed >= WALK_TIME) {
        c->lamps.walk = false;
        enter(c, PHASE_ALL_RED);
    }
}

void controller_init(struct controller *c)
{
    c->active = EAST_WEST;
    c->walk_request = false;
    c->broken_ticks = 0u;
    lamps_all_red(&c->lamps);
    enter(c, PHASE_ALL_RED);
}

void controller_tick(struct controller *c, const struct inputs *in)
{
    if (in->button) {
        c->walk_request = true;
    }
    if (c->elapsed < UINT16_MAX) {
        c->elapsed++;
    }
    switch (c->phase) {
    case PHASE_ALL_RED:
        all_red(c);
        break;
    case PHASE_PREPARE:
        prepare(c);
        break;
    case PHASE_GREEN:
        green(c, in);
        break;
    case PHASE_YELLOW:
        yellow(c);
        break;
    case PHASE_WALK:
        walk(c);
        break;
    case PHASE_FAULT:
        return;
    }
    check_lamps(c, in);
}
