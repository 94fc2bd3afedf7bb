#include "crc8.h"

#define POLYNOMIAL 0x07u

uint8_t crc8_byte(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++) {
        if (crc & 0x80u) {
            crc = (uint8_t)((crc << 1) ^ POLYNOMIAL);
        } else {
            crc = (uint8_t)(crc << 1);
        }
    }
    return crc;
}

uint8_t crc8(const uint8_t *data, size_t length)
{
    uint8_t crc = CRC8_INIT;

    for (size_t i = 0; i < length; i++) {
        crc = crc8_byte(crc, data[i]);
    }
    return crc;
}
