/* Frames on the wire: 0x7E, length (1 to 8), that many bytes, and a checksum (the sum of length and bytes, negated). */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_START 0x7Eu
#define FRAME_MAX 8u

typedef enum { WAIT_START, WAIT_LENGTH, WAIT_PAYLOAD, WAIT_CHECKSUM } parser_state_t;

typedef enum { FRAME_NONE, FRAME_READY, FRAME_BAD_LENGTH, FRAME_BAD_CHECKSUM } parser_event_t;

typedef struct {
    parser_state_t state;
    uint8_t length;
    uint8_t received;
    uint8_t sum;
    uint8_t payload[FRAME_MAX];
    struct {
        uint16_t good;
        uint16_t bad;
    } statistics;
} parser_t;

void parser_init(parser_t *p);
parser_event_t parser_feed(parser_t *p, uint8_t byte);

#endif
