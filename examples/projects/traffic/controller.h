/* The controller of a crossing of two roads with a light for pedestrians. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include "lamps.h"

enum phase { PHASE_ALL_RED, PHASE_PREPARE, PHASE_GREEN, PHASE_YELLOW, PHASE_WALK, PHASE_FAULT };

struct inputs {
    bool car[ROADS];  /* loops in the road */
    bool button;      /* a pedestrian */
    bool lamp_broken; /* current through a red lamp is missing */
};

struct controller {
    enum phase phase;
    enum road active;  /* the road that has green, or had it last */
    uint16_t elapsed;  /* ticks in this phase */
    bool walk_request;
    uint8_t broken_ticks;
    struct lamps lamps;
};

void controller_init(struct controller *c);
void controller_tick(struct controller *c, const struct inputs *in);

#endif
