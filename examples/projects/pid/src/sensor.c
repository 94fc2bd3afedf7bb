#include "sensor.h"

#define COUNT (sizeof ((struct sensor *)0)->window / sizeof ((struct sensor *)0)->window[0])

void sensor_init(struct sensor *s)
{
    for (unsigned i = 0; i < COUNT; i++) {
        s->window[i] = ADC_SHORT;
    }
    s->index = 0;
    s->faults = 0;
}

bool sensor_sample(struct sensor *s, uint16_t adc)
{
    if (adc < ADC_SHORT || adc > ADC_OPEN) {
        if (s->faults < UINT8_MAX) {
            s->faults++;
        }
        return false;
    }
    s->faults = 0;
    s->window[s->index] = adc;
    s->index = (uint8_t)((s->index + 1u) % COUNT);
    return true;
}

uint16_t sensor_median(const struct sensor *s)
{
    const uint16_t a = s->window[0], b = s->window[1], c = s->window[2];

    if ((a <= b && b <= c) || (c <= b && b <= a)) {
        return b;
    }
    return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}

q15_t sensor_value(const struct sensor *s)
{
    return (q15_t)sensor_median(s) * 8; /* 4096 is 1.0 */
}
