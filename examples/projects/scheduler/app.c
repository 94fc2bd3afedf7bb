#include "app.h"

#define BLINK_TICKS 5u
#define POLL_TICKS 2u
#define MAX_BEEPS 3u

extern _Bool __VERIFIER_nondet_bool(void); /* the key */

scheduler_t scheduler;

static int beeper;

static void blink(void *context)
{
    app_t *a = context;

    a->light = !a->light;
}

static void poll(void *context)
{
    app_t *a = context;

    if (__VERIFIER_nondet_bool()) {
        a->presses++;
        if (a->beeps == 0u) {
            a->beeps = MAX_BEEPS;
            scheduler_wake(&scheduler, (uint8_t)beeper);
        }
    }
}

static void beep(void *context)
{
    app_t *a = context;

    if (a->beeps > 0u) {
        a->beeps--;
    }
    if (a->beeps > 0u) {
        scheduler_wake(&scheduler, (uint8_t)beeper);
    }
}

void app_init(app_t *a)
{
    a->light = false;
    a->presses = 0u;
    a->beeps = 0u;
    scheduler_init(&scheduler);
    (void)scheduler_add(&scheduler, poll, a, POLL_TICKS);
    (void)scheduler_add(&scheduler, blink, a, BLINK_TICKS);
    beeper = scheduler_add(&scheduler, beep, a, 0u);
}
