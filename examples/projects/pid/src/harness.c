/* Any setpoint, any readings of the ADC: the power stage stays within its limits and moves no faster than allowed. */
#include <assert.h>

#include "heater.h"

extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    struct heater h;

    heater_init(&h, __VERIFIER_nondet_int());
    for (;;) {
        const uint16_t adc = __VERIFIER_nondet_ushort() & ADC_MAX;
        const q15_t before = h.pid.output;

        heater_step(&h, adc);
        assert(h.pwm <= PWM_TOP);
        assert(!h.off || h.pwm == 0u);
        assert(h.pid.output >= 0 && h.pid.output <= Q15_ONE);
        assert(h.pid.output - before <= Q15_ONE / 8 && before - h.pid.output <= Q15_ONE / 8);
        assert(sensor_median(&h.sensor) >= ADC_SHORT && sensor_median(&h.sensor) <= ADC_OPEN);
    }
}
