#include "frame.h"

uint32_t frame_bits(const can_frame_t *f, uint8_t start, uint8_t length)
{
    uint32_t value = 0u;

    for (uint8_t i = 0u; i < length; i++) {
        const uint8_t bit = (uint8_t)(start + i);

        if ((f->data[bit >> 3] >> (bit & 7u)) & 1u) {
            value |= (uint32_t)1u << i;
        }
    }
    return value;
}
