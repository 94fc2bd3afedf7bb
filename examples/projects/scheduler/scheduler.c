#include "scheduler.h"

#include <stddef.h>

void scheduler_init(scheduler_t *s)
{
    for (uint8_t i = 0u; i < MAX_TASKS; i++) {
        s->tasks[i].run = NULL;
        s->tasks[i].context = NULL;
        s->tasks[i].period = 0u;
        s->tasks[i].left = 0u;
        s->tasks[i].ready = false;
        s->tasks[i].overruns = 0u;
    }
    s->count = 0u;
    s->pending = 0u;
    s->running = false;
}

int scheduler_add(scheduler_t *s, task_fn run, void *context, uint16_t period)
{
    task_t *t;

    if (run == NULL || s->count >= MAX_TASKS) {
        return -1;
    }
    t = &s->tasks[s->count];
    t->run = run;
    t->context = context;
    t->period = period;
    t->left = period;
    t->ready = false;
    t->overruns = 0u;
    return s->count++;
}

static void make_ready(scheduler_t *s, task_t *t)
{
    if (!t->ready) {
        t->ready = true;
        s->pending++;
    } else if (t->overruns < UINT8_MAX) {
        t->overruns++;
    }
}

void scheduler_wake(scheduler_t *s, uint8_t task)
{
    if (task < s->count) {
        make_ready(s, &s->tasks[task]);
    }
}

void scheduler_tick(scheduler_t *s)
{
    for (uint8_t i = 0u; i < MAX_TASKS; i++) {
        task_t *t = &s->tasks[i];

        if (i >= s->count || t->period == 0u) {
            continue;
        }
        if (--t->left == 0u) {
            t->left = t->period;
            make_ready(s, t);
        }
    }
}

bool scheduler_dispatch(scheduler_t *s)
{
    for (uint8_t i = 0u; i < MAX_TASKS; i++) {
        task_t *t = &s->tasks[i];

        if (i < s->count && t->ready) {
            t->ready = false;
#ifdef SEEDED_BUG
            s->running = true;
            t->run(t->context);
            s->running = false;
            if (!t->ready) { /* it may have woken itself up */
                s->pending--;
            }
#else
            s->pending--;
            s->running = true;
            t->run(t->context);
            s->running = false;
#endif
            return true;
        }
    }
    return false;
}
