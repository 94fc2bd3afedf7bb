/* Readings of the battery: 12 bits each, scaled to millivolts, milliamperes and tenths of a degree. */
#ifndef ADC_H
#define ADC_H

#include <stdint.h>

#define ADC_TOP 4095u
#define FILTER_SHIFT 2u

typedef struct {
    uint16_t voltage_mv;
    uint16_t current_ma;
    int16_t temperature_dc;
} reading_t;

typedef struct {
    uint16_t raw_voltage;
    uint16_t raw_current;
    uint16_t raw_temperature;
} raw_t;

reading_t adc_convert(const raw_t *raw);
uint16_t adc_filter(uint16_t old, uint16_t fresh);

#endif
