/* The heater: sensor, controller and power stage put together. */
#ifndef HEATER_H
#define HEATER_H

#include "pid.h"
#include "sensor.h"

#define HEATER_MAX_FAULTS 3u
#define PWM_TOP 1000u

struct heater {
    struct sensor sensor;
    struct pid pid;
    q15_t setpoint;
    uint16_t pwm;
    bool off; /* switched off for good */
};

void heater_init(struct heater *h, q15_t setpoint);
void heater_step(struct heater *h, uint16_t adc);

#endif
