/* CRC-8 with the polynomial x^8 + x^2 + x + 1. */
#ifndef CRC8_H
#define CRC8_H

#include <stddef.h>
#include <stdint.h>

#define CRC8_INIT 0x00u

uint8_t crc8_byte(uint8_t crc, uint8_t byte);
uint8_t crc8(const uint8_t *data, size_t length);

#endif
