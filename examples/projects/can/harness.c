/* Any frames at any time: what the signals say is possible, and valid only as long as messages come. */
#include <assert.h>

#include "decoder.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);

static decoder_t decoder;

static can_frame_t any_frame(void)
{
    can_frame_t f;

    f.id = __VERIFIER_nondet_uint() & 0x7FFu;
    f.dlc = __VERIFIER_nondet_uchar();
    for (unsigned i = 0; i < CAN_MAX_DLC; i++) {
        f.data[i] = __VERIFIER_nondet_uchar();
    }
    return f;
}

int main(void)
{
    decoder_init(&decoder);
    for (;;) {
        if (__VERIFIER_nondet_bool()) {
            const can_frame_t f = any_frame();
            const decode_result_t result = decoder_frame(&decoder, &f);

            assert(result != DECODE_OK || f.dlc <= CAN_MAX_DLC);
        } else {
            decoder_tick(&decoder);
        }
        assert(decoder.signals.speed_kmh10 <= SPEED_MAX);
        assert(decoder.signals.engine_rpm <= RPM_MAX);
        assert(decoder.signals.coolant_c >= -40 && decoder.signals.coolant_c <= 215);
        assert(decoder.signals.gear <= 7u);
        assert(decoder.alive[MSG_SPEED] <= 15u && decoder.age[MSG_SPEED] <= TIMEOUT_TICKS);
        assert(decoder.signals.valid < (1u << MSG_COUNT));
    }
}
