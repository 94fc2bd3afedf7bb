/* A cooperative scheduler with fixed priorities: the first task in the table is the most important one. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "task.h"

typedef struct {
    task_t tasks[MAX_TASKS];
    uint8_t count;
    uint8_t pending; /* how many tasks are ready */
    bool running;
} scheduler_t;

void scheduler_init(scheduler_t *s);
int scheduler_add(scheduler_t *s, task_fn run, void *context, uint16_t period);
void scheduler_wake(scheduler_t *s, uint8_t task);
void scheduler_tick(scheduler_t *s);
bool scheduler_dispatch(scheduler_t *s);

#endif
