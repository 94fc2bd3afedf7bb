#include "adc.h"

static uint16_t scale(uint16_t raw, uint16_t full)
{
    if (raw > ADC_TOP) {
        raw = ADC_TOP;
    }
    return (uint16_t)(((uint32_t)raw * full) >> 12);
}

reading_t adc_convert(const raw_t *raw)
{
    reading_t r;

    r.voltage_mv = scale(raw->raw_voltage, 5000u);
    r.current_ma = scale(raw->raw_current, 2000u);
    r.temperature_dc = (int16_t)((int32_t)scale(raw->raw_temperature, 1400u) - 400);
    return r;
}

/* a filter of first order: the result lies between the old and the fresh value */
uint16_t adc_filter(uint16_t old, uint16_t fresh)
{
    if (fresh >= old) {
        return (uint16_t)(old + ((uint16_t)(fresh - old) >> FILTER_SHIFT));
    }
    return (uint16_t)(old - ((uint16_t)(old - fresh) >> FILTER_SHIFT));
}
