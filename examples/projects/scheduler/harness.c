/* Ticks and rounds of the main loop in any order; the scheduler's own count agrees with its table. */
#include <assert.h>

#include "app.h"

extern _Bool __VERIFIER_nondet_bool(void);

static uint8_t ready_tasks(void)
{
    uint8_t n = 0u;

    for (uint8_t i = 0u; i < MAX_TASKS; i++) {
        if (scheduler.tasks[i].ready) {
            n++;
        }
    }
    return n;
}

int main(void)
{
    static app_t app;

    app_init(&app);
    while (1) {
        if (__VERIFIER_nondet_bool()) {
            scheduler_tick(&scheduler);
        } else {
            (void)scheduler_dispatch(&scheduler);
        }
        assert(scheduler.count == 3u && !scheduler.running);
        assert(scheduler.pending == ready_tasks());
        assert(app.beeps <= 3u);
        assert(scheduler.tasks[0].left >= 1u && scheduler.tasks[0].left <= scheduler.tasks[0].period);
    }
}
