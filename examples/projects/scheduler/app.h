/* The application: a blinking light, a key that is polled, and a beeper that the key wakes up. */
#ifndef APP_H
#define APP_H

#include "scheduler.h"

typedef struct {
    bool light;
    uint8_t presses;
    uint8_t beeps;
} app_t;

extern scheduler_t scheduler;

void app_init(app_t *a);

#endif
