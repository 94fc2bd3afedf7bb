/* The serial line: the receive interrupt fills the ring, uart_poll() takes frames out of it. */
#ifndef UART_H
#define UART_H

#include "frame.h"
#include "ring.h"

typedef struct {
    ring_t rx;
    parser_t parser;
    uint8_t command; /* the first byte of the last good frame */
    bool fresh;      /* has it not been read yet? */
} uart_t;

void uart_init(uart_t *u);
void uart_receive_isr(uart_t *u, uint8_t byte);
void uart_poll(uart_t *u);

#endif
