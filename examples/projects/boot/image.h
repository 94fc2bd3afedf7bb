/* An image in flash: a header, the program, nothing behind it. Two slots; the newer valid one is started. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_MAGIC 0xB007u
#define HEADER_SIZE 8u
#define SLOT_SIZE 16u

enum slot { SLOT_A, SLOT_B, SLOTS };

typedef struct {
    uint16_t magic;
    uint16_t version;
    uint8_t length; /* of the program, in bytes */
    uint8_t entry;  /* where it starts, from the start of the program */
    uint8_t flags;
    uint8_t crc;    /* of the program */
} image_header_t;

#define IMAGE_CONFIRMED 0x01u
#define IMAGE_REVOKED 0x80u

typedef enum {
    IMAGE_OK, IMAGE_NO_MAGIC, IMAGE_BAD_LENGTH, IMAGE_BAD_ENTRY, IMAGE_IS_REVOKED, IMAGE_BAD_CRC
} image_status_t;

image_header_t image_header(const uint8_t *slot);
image_status_t image_check(const uint8_t *slot, image_header_t *header);

#endif
