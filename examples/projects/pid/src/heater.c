#include "heater.h"

static const struct pid_config config = {
    .kp = Q15(2.5),
    .ki = Q15(0.0625),
    .kd = Q15(0.5),
    .out_min = 0,
    .out_max = Q15_ONE,
    .integral_limit = Q15(0.75),
    .max_step = Q15(0.125),
};

void heater_init(struct heater *h, q15_t setpoint)
{
    sensor_init(&h->sensor);
    pid_init(&h->pid, &config);
    h->setpoint = q15_clamp(setpoint, 0, Q15_ONE);
    h->pwm = 0u;
    h->off = false;
}

void heater_step(struct heater *h, uint16_t adc)
{
    q15_t power;

    if (h->off) {
        return;
    }
    if (!sensor_sample(&h->sensor, adc) && h->sensor.faults >= HEATER_MAX_FAULTS) {
        h->off = true;
        h->pwm = 0u;
        return;
    }
    power = pid_update(&h->pid, h->setpoint, sensor_value(&h->sensor));
    h->pwm = (uint16_t)((power * (int32_t)PWM_TOP) / Q15_ONE);
}
