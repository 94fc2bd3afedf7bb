/* A temperature sensor behind an ADC of 12 bits, with a median of three and a check of plausibility. */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "q15.h"

#define ADC_MAX 4095u
#define ADC_SHORT 40u   /* below: short circuit */
#define ADC_OPEN 4050u  /* above: broken wire */

struct sensor {
    uint16_t window[3];
    uint8_t index;
    uint8_t faults;
};

void sensor_init(struct sensor *s);
bool sensor_sample(struct sensor *s, uint16_t adc);
uint16_t sensor_median(const struct sensor *s);
q15_t sensor_value(const struct sensor *s);

#endif
