#include "decoder.h"

#include <string.h>

void decoder_init(decoder_t *d)
{
    memset(d, 0, sizeof *d);
    for (int m = 0; m < MSG_COUNT; m++) {
        d->alive[m] = 15u;
        d->age[m] = TIMEOUT_TICKS;
    }
}

static decode_result_t complain(decoder_t *d, decode_result_t why)
{
    if (d->errors < UINT16_MAX) {
        d->errors++;
    }
    return why;
}

static decode_result_t engine(signals_t *s, const can_frame_t *f)
{
    const uint32_t rpm = frame_bits(f, 8u, 16u) / 4u;
    const int32_t coolant = (int32_t)frame_bits(f, 24u, 8u) - 40;

    if (rpm > RPM_MAX) {
        return DECODE_RANGE;
    }
    s->engine_rpm = (uint16_t)rpm;
    s->coolant_c = (int16_t)coolant;
    return DECODE_OK;
}

static decode_result_t speed(signals_t *s, const can_frame_t *f)
{
    const uint16_t value = (uint16_t)(f->data[1] | (uint16_t)(f->data[2] << 8));

#ifndef SEEDED_BUG
    if (value > SPEED_MAX) {
        return DECODE_RANGE;
    }
#endif
    s->speed_kmh10 = value;
    s->brake = (f->data[3] & 0x80u) != 0u;
    return DECODE_OK;
}

static decode_result_t gear(signals_t *s, const can_frame_t *f)
{
    s->gear = f->data[1] & 7u;
    return DECODE_OK;
}

typedef decode_result_t (*handler_t)(signals_t *, const can_frame_t *);

static const struct {
    uint32_t id;
    uint8_t dlc;
    handler_t handler;
} table[MSG_COUNT] = {
    [MSG_ENGINE] = { ID_ENGINE, 4u, engine },
    [MSG_SPEED] = { ID_SPEED, 4u, speed },
    [MSG_GEAR] = { ID_GEAR, 2u, gear },
};

static decode_result_t decode(decoder_t *d, int m, const can_frame_t *f)
{
    const uint8_t expected = (uint8_t)((d->alive[m] + 1u) & 15u);
    decode_result_t result;

    if (f->dlc < table[m].dlc || f->dlc > CAN_MAX_DLC) {
        return complain(d, DECODE_LENGTH);
    }
    if ((f->data[0] & 15u) != expected && d->age[m] < TIMEOUT_TICKS) {
        return complain(d, DECODE_COUNTER);
    }
    d->alive[m] = f->data[0] & 15u;
    result = table[m].handler(&d->signals, f);
    if (result != DECODE_OK) {
        return complain(d, result);
    }
    d->age[m] = 0u;
    d->signals.valid |= (uint8_t)(1u << m);
    return DECODE_OK;
}

decode_result_t decoder_frame(decoder_t *d, const can_frame_t *f)
{
    for (int m = 0; m < MSG_COUNT; m++) {
        if (table[m].id == f->id) {
            return decode(d, m, f);
        }
    }
    return DECODE_UNKNOWN;
}

void decoder_tick(decoder_t *d)
{
    for (int m = 0; m < MSG_COUNT; m++) {
        if (d->age[m] < TIMEOUT_TICKS) {
            d->age[m]++;
        } else {
            d->signals.valid &= (uint8_t)~(1u << m);
        }
    }
}
