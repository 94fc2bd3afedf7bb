/* Cars, pedestrians and broken lamps at any time. Nobody ever gets green against somebody else. */
#include <assert.h>

#include "config.h"
#include "controller.h"

extern _Bool __VERIFIER_nondet_bool(void);

static struct inputs read_inputs(void)
{
    struct inputs in;

    for (int r = 0; r < ROADS; r++) {
        in.car[r] = __VERIFIER_nondet_bool();
    }
    in.button = __VERIFIER_nondet_bool();
    in.lamp_broken = __VERIFIER_nondet_bool();
    return in;
}

int main(void)
{
    struct controller c;

    controller_init(&c);
    while (1) {
        const struct inputs in = read_inputs();

        controller_tick(&c, &in);
        assert(!lamps_conflict(lamps_port(&c.lamps)));
        assert(c.phase != PHASE_FAULT || (c.lamps.road[NORTH_SOUTH] == RED && c.lamps.road[EAST_WEST] == RED));
        assert(c.phase != PHASE_GREEN || c.elapsed <= GREEN_MAX);
    }
}
