/* Decodes the messages that we know; each has an alive counter of 4 bits and a time limit. */
#ifndef DECODER_H
#define DECODER_H

#include "frame.h"
#include "signals.h"

#define ID_ENGINE 0x100u
#define ID_SPEED 0x1A0u
#define ID_GEAR 0x2F0u
#define TIMEOUT_TICKS 10u

typedef enum { DECODE_OK, DECODE_UNKNOWN, DECODE_LENGTH, DECODE_COUNTER, DECODE_RANGE } decode_result_t;

typedef struct {
    signals_t signals;
    uint8_t alive[MSG_COUNT];
    uint8_t age[MSG_COUNT];
    uint16_t errors;
} decoder_t;

void decoder_init(decoder_t *d);
decode_result_t decoder_frame(decoder_t *d, const can_frame_t *f);
void decoder_tick(decoder_t *d);

#endif
