/* A task runs to its end each time it is called; it is called periodically, or when it was woken up. */
#ifndef TASK_H
#define TASK_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_TASKS 4u

typedef void (*task_fn)(void *context);

typedef struct {
    task_fn run;
    void *context;
    uint16_t period;  /* in ticks; 0: only when woken up */
    uint16_t left;    /* ticks until it is due */
    bool ready;
    uint8_t overruns; /* became due though it had not run yet */
} task_t;

#endif
