/* A PID controller with anti-windup and a limited slope of its output. */
#ifndef PID_H
#define PID_H

#include <stdbool.h>

#include "q15.h"

struct pid_config {
    q15_t kp, ki, kd;
    q15_t out_min, out_max;
    q15_t integral_limit; /* of the magnitude of the integral part */
    q15_t max_step;       /* of the output, from one call to the next */
};

struct pid {
    const struct pid_config *config;
    q15_t integral;
    q15_t last_error;
    q15_t output;
    bool first;
};

void pid_init(struct pid *p, const struct pid_config *config);
q15_t pid_update(struct pid *p, q15_t setpoint, q15_t measured);

#endif
