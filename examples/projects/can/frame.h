/* A frame of the CAN bus as the controller hands it over. */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

#define CAN_MAX_DLC 8u

typedef struct {
    uint32_t id;
    uint8_t dlc;
    uint8_t data[CAN_MAX_DLC];
} can_frame_t;

/* length bits from bit start on, counted as Intel does: bit 0 is the lowest of byte 0 */
uint32_t frame_bits(const can_frame_t *f, uint8_t start, uint8_t length);

#endif
