#include "image.h"

#include "crc8.h"

static uint16_t little_endian(const uint8_t *p)
{
    return (uint16_t)(p[0] | (uint16_t)(p[1] << 8));
}

image_header_t image_header(const uint8_t *slot)
{
    image_header_t h;

    h.magic = little_endian(slot);
    h.version = little_endian(slot + 2);
    h.length = slot[4];
    h.entry = slot[5];
    h.flags = slot[6];
    h.crc = slot[7];
    return h;
}

image_status_t image_check(const uint8_t *slot, image_header_t *header)
{
    *header = image_header(slot);
    if (header->magic != IMAGE_MAGIC) {
        return IMAGE_NO_MAGIC;
    }
    if (header->length == 0u || header->length > SLOT_SIZE - HEADER_SIZE) {
        return IMAGE_BAD_LENGTH;
    }
    if (header->entry >= header->length) {
        return IMAGE_BAD_ENTRY;
    }
    if (header->flags & IMAGE_REVOKED) {
        return IMAGE_IS_REVOKED;
    }
    if (crc8(slot + HEADER_SIZE, header->length) != header->crc) {
        return IMAGE_BAD_CRC;
    }
    return IMAGE_OK;
}
