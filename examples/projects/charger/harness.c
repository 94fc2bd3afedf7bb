/* Any readings, plugged in and out at any time: no current into a cell that is too warm, too full or faulty. */
#include <assert.h>

#include "cell.h"
#include "charger.h"

extern unsigned short __VERIFIER_nondet_ushort(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    charger_t c;

    charger_init(&c);
    while (1) {
        const raw_t raw = { __VERIFIER_nondet_ushort(), __VERIFIER_nondet_ushort(), __VERIFIER_nondet_ushort() };
        const reading_t r = adc_convert(&raw);

        charger_tick(&c, __VERIFIER_nondet_bool(), &r);
        assert(r.voltage_mv < 5000u && r.temperature_dc >= -400 && r.temperature_dc < 1000);
        assert(!c.switch_on || (r.temperature_dc >= TEMP_MIN_DC && r.temperature_dc <= TEMP_MAX_DC));
        assert(!c.switch_on || r.voltage_mv <= CELL_MAX_MV);
        assert(c.switch_on == (c.set_ma != 0u) && c.set_ma <= CURRENT_FAST_MA);
        assert((c.state == CH_FAULT) == (c.fault != FAULT_NONE));
        assert(c.state != CH_PRE || c.set_ma == CURRENT_PRE_MA);
    }
}
