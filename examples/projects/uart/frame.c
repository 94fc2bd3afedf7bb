#include "frame.h"

#include <stddef.h>

typedef parser_event_t (*handler_t)(parser_t *, uint8_t);

static void restart(parser_t *p)
{
    p->state = WAIT_START;
    p->received = 0u;
    p->sum = 0u;
}

static parser_event_t fail(parser_t *p, parser_event_t why)
{
    if (p->statistics.bad < UINT16_MAX) {
        p->statistics.bad++;
    }
    restart(p);
    return why;
}

static parser_event_t on_start(parser_t *p, uint8_t byte)
{
    if (byte == FRAME_START) {
        p->state = WAIT_LENGTH;
    }
    return FRAME_NONE;
}

static parser_event_t on_length(parser_t *p, uint8_t byte)
{
    if (byte == 0u || byte > FRAME_MAX) {
        return fail(p, FRAME_BAD_LENGTH);
    }
    p->length = byte;
    p->sum = byte;
    p->state = WAIT_PAYLOAD;
    return FRAME_NONE;
}

static parser_event_t on_payload(parser_t *p, uint8_t byte)
{
    p->payload[p->received++] = byte;
    p->sum = (uint8_t)(p->sum + byte);
    if (p->received == p->length) {
        p->state = WAIT_CHECKSUM;
    }
    return FRAME_NONE;
}

static parser_event_t on_checksum(parser_t *p, uint8_t byte)
{
    if ((uint8_t)(p->sum + byte) != 0u) {
        return fail(p, FRAME_BAD_CHECKSUM);
    }
    if (p->statistics.good < UINT16_MAX) {
        p->statistics.good++;
    }
    restart(p);
    return FRAME_READY;
}

static const handler_t handlers[] = {
    [WAIT_START] = on_start,
    [WAIT_LENGTH] = on_length,
    [WAIT_PAYLOAD] = on_payload,
    [WAIT_CHECKSUM] = on_checksum,
};

void parser_init(parser_t *p)
{
    restart(p);
    p->length = 0u;
    p->statistics.good = 0u;
    p->statistics.bad = 0u;
}

parser_event_t parser_feed(parser_t *p, uint8_t byte)
{
    return handlers[p->state](p, byte);
}
