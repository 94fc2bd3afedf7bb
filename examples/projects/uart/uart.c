#include "uart.h"

void uart_init(uart_t *u)
{
    ring_init(&u->rx);
    parser_init(&u->parser);
    u->command = 0u;
    u->fresh = false;
}

void uart_receive_isr(uart_t *u, uint8_t byte)
{
    (void)ring_put(&u->rx, byte);
}

void uart_poll(uart_t *u)
{
    uint8_t byte;

    if (!ring_get(&u->rx, &byte)) {
        return;
    }
    switch (parser_feed(&u->parser, byte)) {
    case FRAME_READY:
        u->command = u->parser.payload[0];
        u->fresh = true;
        break;
    case FRAME_BAD_LENGTH:
    case FRAME_BAD_CHECKSUM:
        u->fresh = false;
        break;
    case FRAME_NONE:
    default:
        break;
    }
}
