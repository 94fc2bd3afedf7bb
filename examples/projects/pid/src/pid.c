#include "pid.h"

#include <stddef.h>

void pid_init(struct pid *p, const struct pid_config *config)
{
    *p = (struct pid){ .config = config, .output = config->out_min, .first = true };
}

static q15_t integrate(const struct pid *p, q15_t error)
{
    const q15_t limit = p->config->integral_limit;
    const q15_t sum = q15_add(p->integral, q15_mul(p->config->ki, error));

    return q15_clamp(sum, -limit, limit);
}

static q15_t differentiate(struct pid *p, q15_t error)
{
    q15_t slope = 0;

    if (!p->first) {
        slope = q15_sub(error, p->last_error);
    }
    p->first = false;
    p->last_error = error;
    return q15_mul(p->config->kd, slope);
}

q15_t pid_update(struct pid *p, q15_t setpoint, q15_t measured)
{
    const struct pid_config *c = p->config;
    const q15_t error = q15_sub(setpoint, measured);
    q15_t wanted, step;

    p->integral = integrate(p, error);
    wanted = q15_mul(c->kp, error);
    wanted = q15_add(wanted, p->integral);
    wanted = q15_add(wanted, differentiate(p, error));
    wanted = q15_clamp(wanted, c->out_min, c->out_max);
#ifdef SEEDED_BUG
    step = wanted - p->output; /* and no limit of the slope downwards */
    if (step > c->max_step) {
        step = c->max_step;
    }
    p->output += step + c->max_step / 8;
#else
    step = q15_clamp(q15_sub(wanted, p->output), -c->max_step, c->max_step);
    p->output += step;
#endif
    return p->output;
}
